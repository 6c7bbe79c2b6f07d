import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Button } from "./button";
import { Form } from "./field";

interface DialogProps {
  open: boolean;
  /** Called for Escape, for a click outside and for the close buttons. */
  onClose: () => void;
  title: string;
  children: ComponentChildren;
}

/** Dialog is a modal dialog. */
export function Dialog({ open, onClose, title, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (open && element && !element.open) {
      element.showModal();
    } else if (!open && element?.open) {
      element.close();
    }
  }, [open]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser itself closes a dialog with Escape.
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) {
          onClose();
        }
      }}
    >
      {open && (
        <div class="dialog-body stack">
          <h2 id={id}>{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}

interface ConfirmProps extends DialogProps {
  /** The text of the confirming button. */
  action: string;
  onConfirm: () => void;
  busy?: boolean;
  kind?: "danger" | "primary";
}

/** Confirm asks for a confirmation. Enter in one of its fields confirms. */
export function Confirm({ action, onConfirm, busy, kind = "danger", ...rest }: ConfirmProps) {
  return (
    <Dialog {...rest}>
      <Form onSend={onConfirm}>
        {rest.children}
        <div class="row row-end">
          <Button onClick={rest.onClose}>{t("ui.cancel")}</Button>
          <Button type="submit" kind={kind} busy={busy}>
            {action}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
