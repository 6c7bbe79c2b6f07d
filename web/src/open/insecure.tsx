import { place } from "../router";
import { LinkButton, Notice, Page } from "../ui";

interface InsecureProps {
  title: string;
  text: string;
  /** The text of the button that opens the page over HTTPS. */
  open: string;
}

/** Insecure says that the browser cannot encrypt or decrypt on a page that came over HTTP. */
export function Insecure({ title, text, open }: InsecureProps) {
  const { path, hash } = place.value;
  return (
    <Page title={title}>
      <Notice kind="warn">
        <p>{text}</p>
        <LinkButton kind="primary" href={`https://${location.host}${path}${hash}`}>
          {open}
        </LinkButton>
      </Notice>
    </Page>
  );
}
