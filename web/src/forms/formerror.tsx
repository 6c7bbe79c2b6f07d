import { Button, Notice } from "../ui";
import type { Submission } from "./submit";

/** FormError shows a problem that concerns no field. */
export function FormError({ submission }: { submission: Submission }) {
  return submission.problem && !submission.problem.field ? <Notice kind="bad">{submission.problem.text}</Notice> : null;
}

interface SubmitButtonProps {
  submission: Submission;
  /** The button's text, and its text while the call runs. */
  text: string;
  busy: string;
  wide?: boolean;
  size?: "large";
}

/** SubmitButton sends a form, and shows above itself why it was refused. */
export function SubmitButton({ submission, text, busy, wide, size }: SubmitButtonProps) {
  return (
    <>
      <FormError submission={submission} />
      <div>
        <Button type="submit" kind="primary" busy={submission.busy} wide={wide} size={size}>
          {submission.busy ? busy : text}
        </Button>
      </div>
    </>
  );
}
