import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { byteLength, size } from "../format";
import { t } from "../i18n";
import { Field, TextArea } from "../ui";

interface TextBoxProps {
  label: string;
  value: string;
  /** The most bytes that it takes. */
  most: number;
  error: string | undefined;
  hint?: ComponentChildren;
  onText: (text: string) => void;
  onSend: () => void;
}

/** TextBox is the field for a secret text. It says how long that is once it is half of what it takes. */
export function TextBox({ label, value, most, error, hint, onText, onSend }: TextBoxProps) {
  const used = byteLength(value);
  const over = used > most;
  return (
    <div class="share-box">
      <Field label={label} error={error} hint={hint}>
        <TextArea
          mono
          value={value}
          onValue={onText}
          placeholder={t("share.placeholder")}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onKeyDown={sending(onSend)}
        />
      </Field>
      {used > most / 2 && !(over && error) && (
        <p class={`share-count ${over ? "share-count-over" : ""}`}>
          {over
            ? t("share.too_large", { over: size(used - most) })
            : t("share.size", { used: size(used), limit: size(most) })}
        </p>
      )}
    </div>
  );
}

/** sending calls a function for the keys that send a form from a field of many lines. */
export function sending(onSend: () => void): (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => void {
  return (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onSend();
    }
  };
}
