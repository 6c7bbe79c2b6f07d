import { Button, Notice } from "../ui";
import type { Deed } from "./deed";

/** Tell shows a problem that is of no field. */
export function Tell({ deed }: { deed: Deed }) {
  return deed.problem && !deed.problem.field ? <Notice kind="bad">{deed.problem.text}</Notice> : null;
}

interface SendProps {
  deed: Deed;
  /** The button's words, and those while it works. */
  text: string;
  busy: string;
  wide?: boolean;
  size?: "large";
}

/** Send is the button that sends a form, with what came of it above. */
export function Send({ deed, text, busy, wide, size }: SendProps) {
  return (
    <>
      <Tell deed={deed} />
      <div>
        <Button type="submit" kind="primary" busy={deed.busy} wide={wide} size={size}>
          {deed.busy ? busy : text}
        </Button>
      </div>
    </>
  );
}
