import { place } from "../router";
import { Notice } from "../ui";

/** Mangled says that a mail gateway changed the link of this visit. */
export function Mangled({ text }: { text: string }) {
  return place.value.mangled ? (
    <Notice kind="warn">
      <p>{text}</p>
    </Notice>
  ) : null;
}
