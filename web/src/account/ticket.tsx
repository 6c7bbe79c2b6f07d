import type { ComponentChildren } from "preact";
import { t } from "../i18n/more";
import { keyIn } from "../link";
import { Card, Form, Notice } from "../ui";
import { FormError, SubmitButton } from "./formerror";
import type { Submission } from "./submit";

/** ticketIn is the token of a mailed link; empty if it did not arrive whole. */
export function ticketIn(params: Record<string, string>): string {
  return keyIn(params.token ?? "");
}

/** BrokenTicket stands where a link's token is no token. */
export function BrokenTicket() {
  return (
    <Notice kind="warn">
      <p>
        <strong>{t("ticket.broken.title")}</strong>
      </p>
      <p>{t("ticket.broken")}</p>
    </Notice>
  );
}

interface TicketFormProps {
  submission: Submission;
  /** The link opens nothing: only that is said then. */
  spent?: boolean;
  onSend: () => void;
  label: string;
  text: string;
  busy: string;
  children?: ComponentChildren;
}

/** TicketForm does what a mailed link is for, when its button is pressed. */
export function TicketForm({ submission, spent, onSend, label, text, busy, children }: TicketFormProps) {
  if (spent) {
    return <FormError submission={submission} />;
  }
  return (
    <div ref={submission.area}>
      <Form onSend={onSend} label={label}>
        <Card>
          {children}
          <SubmitButton submission={submission} text={text} busy={busy} wide size="large" />
        </Card>
      </Form>
    </div>
  );
}
