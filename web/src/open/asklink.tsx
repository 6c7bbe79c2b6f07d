import type { ComponentChildren } from "preact";
import { lazy } from "../lazy";
import { Card, Page } from "../ui";

/** AskLinkForm is loaded when it is needed, which is seldom. */
export const AskLinkForm = lazy(() => import("./asklinkform"));

interface AskLinkProps {
  title: string;
  lead: string;
  children?: ComponentChildren;
}

/** AskLink asks for a link in a field, when the address has none that opens. Nothing of it is sent. */
export function AskLink({ title, lead, children }: AskLinkProps) {
  return (
    <Page title={title} lead={lead}>
      {children}
      <Card>
        <AskLinkForm />
      </Card>
    </Page>
  );
}
