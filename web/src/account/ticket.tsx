import type { ComponentChildren } from "preact";
import { FormError, SubmitButton } from "../forms/formerror";
import type { Submission } from "../forms/submit";
import { t } from "../i18n/signin";
import { keyIn } from "../link";
import { Card, Form, Notice } from "../ui";

/** ticketIn returns the token of a mailed link, or an empty string if it is incomplete. */
export function ticketIn(params: Record<string, string>): string {
  return keyIn(params.token ?? "");
}

/** BrokenTicket says that a link is incomplete. */
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
  /** Whether the link is used up or expired: then only the error is shown. */
  spent?: boolean;
  onSend: () => void;
  label: string;
  text: string;
  busy: string;
  children?: ComponentChildren;
}

/** TicketForm is the form behind a mailed link. Nothing happens before its button is pressed. */
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
