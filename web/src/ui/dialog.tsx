import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
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

/**
 * Dialog is a modal dialog. It gives the focus back as soon as it closes. Its
 * content stays, unreachable, until it has faded.
 */
export function Dialog({ open, onClose, title, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const content = useRef<ComponentChildren>(undefined);
  const round = useRef(0);
  const [fading, setFading] = useState(false);
  const id = useId();
  if (open) {
    content.current = (
      <div key={round.current} class="dialog-body stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    );
  }
  useEffect(() => {
    const element = dialog.current;
    if (!element || element.open === open) {
      return;
    }
    element.inert = !open; // A key that comes late must not move the focus into what fades.
    if (open) {
      element.showModal();
      setFading(true);
      return;
    }
    element.close();
    round.current += 1;
    let over = false;
    void Promise.allSettled(element.getAnimations().map(({ finished }) => finished)).then(() => {
      if (!over) {
        content.current = undefined;
        setFading(false);
      }
    });
    return () => {
      over = true;
    };
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
      {(open || fading) && content.current}
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
