import type { ComponentChildren } from "preact";
import { Confirm } from "../ui/dialog";
import { FormError } from "./formerror";
import type { Submission } from "./submit";

interface ConfirmCallProps {
  submission: Submission;
  open: boolean;
  onClose: () => void;
  title: string;
  /** The text of the confirming button, and its text while the call runs. */
  action: string;
  busy?: string;
  onConfirm: () => void;
  children: ComponentChildren;
}

/** ConfirmCall asks for a confirmation before a call, and shows why the call was refused. */
export function ConfirmCall({ submission, open, onClose, title, action, busy, onConfirm, children }: ConfirmCallProps) {
  const close = () => {
    submission.clear();
    onClose();
  };
  return (
    <Confirm
      open={open}
      onClose={close}
      title={title}
      action={submission.busy ? (busy ?? action) : action}
      onConfirm={onConfirm}
      busy={submission.busy}
    >
      {children}
      <FormError submission={submission} />
    </Confirm>
  );
}
