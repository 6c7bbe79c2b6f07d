import type { TargetedClipboardEvent } from "preact";
import { t } from "../i18n/share";
import { Button, Field, TextInput } from "../ui";
import { DomainField, useOwnDomains } from "./domainfield";
import { mails, type OptionsProps } from "./fields";
import { kinds } from "./kind";

/** Delivery has the fields for the recipients, and for the domain of the links if the account has one. */
export default function Delivery(props: OptionsProps) {
  const { draft, change } = props;
  const own = useOwnDomains();
  return (
    <div class={own.length > 0 ? "columns" : undefined}>
      <Recipients {...props} />
      <DomainField own={own} value={draft.domain} onValue={(domain) => change({ domain })} />
    </div>
  );
}

/**
 * Recipients is the field for those who get a link of their own. The server mails it
 * to addresses, if it knows the link; the sender sends it to those who are named.
 */
function Recipients({ draft, kind, problem, change, onKind }: OptionsProps) {
  const mailed = kind === "server" && mails();
  return (
    <div class="stack-s">
      <Field
        label={t(mailed ? "share.recipient" : "share.names")}
        optional
        hint={t(mailed ? "share.recipient.hint" : "share.names.hint")}
        error={problem.field === "recipients" ? problem.text : undefined}
      >
        <TextInput
          inputMode={mailed ? "email" : "text"}
          autocomplete="off"
          dir="auto"
          value={draft.recipients}
          onValue={(recipients) => change({ recipients })}
          onPaste={(event) => pasteLines(event, (recipients) => change({ recipients }))}
        />
      </Field>
      {kind === "end_to_end" && mails() && (
        <>
          <p class="field-hint">{t("share.recipient.end_to_end")}</p>
          {kinds().includes("server") && (
            <div>
              <Button size="small" onClick={() => onKind("server")}>
                {t("share.recipient.server")}
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

/** pasteLines puts a comma between the lines of what is pasted: a field of one line would run them together. */
function pasteLines(event: TargetedClipboardEvent<HTMLInputElement>, onValue: (value: string) => void): void {
  const lines = (event.clipboardData?.getData("text/plain") ?? "")
    .split(/[\r\n]+/)
    .map((line) => line.trim().replace(/[,;]+$/, ""))
    .filter(Boolean);
  if (lines.length > 1) {
    event.preventDefault();
    const field = event.currentTarget;
    field.setRangeText(lines.join(", "), field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    onValue(field.value);
  }
}
