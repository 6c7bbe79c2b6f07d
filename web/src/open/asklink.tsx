import type { ComponentChildren } from "preact";
import { lazy } from "../lazy";
import { Card, Page } from "../ui";
import type { Whole } from "./placeof";

/** AskLinkForm is loaded when it is needed, which is seldom. */
export const AskLinkForm = lazy(() => import("./asklinkform"));

interface AskLinkProps {
  title: string;
  lead: string;
  /** The page of a whole fragment that is pasted without its path: that of secrets unless it is said. */
  page?: Whole | undefined;
  children?: ComponentChildren;
}

/** AskLink asks for a link in a field, when the address has none that opens. Nothing of it is sent. */
export function AskLink({ title, lead, page, children }: AskLinkProps) {
  return (
    <Page title={title} lead={lead}>
      {children}
      <Card>
        <AskLinkForm page={page} />
      </Card>
    </Page>
  );
}
