import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../i18n";
import { announce } from "./announce";
import { Button } from "./button";
import type { IconName } from "./icon";

/** copyText copies a text to the clipboard, and reports whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

/** copySelection copies a text in the way that works over plain HTTP. */
function copySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "offscreen";
  const focused = document.activeElement;
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.value = "";
    area.remove();
    if (focused instanceof HTMLElement) {
      focused.focus();
    }
  }
}

/** isSelected reports whether the visitor selected the whole of a text. */
export function isSelected(text: string): boolean {
  return getSelection()?.toString().includes(text) ?? false;
}

interface CopyButtonProps {
  text: string;
  children?: ComponentChildren;
  /** The text to show and speak once it is copied. */
  done?: string;
  kind?: "primary" | "plain" | "quiet";
  size?: "small" | "large";
  icon?: IconName;
  onCopied?: () => void;
  /** The name for screen readers, where several buttons have the same text. */
  label?: string;
}

/** CopyButton copies a text, and confirms it for two seconds. */
export function CopyButton({ text, children, done, kind, size, icon = "copy", onCopied, label }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    const ok = await copyText(text);
    announce(ok ? (done ?? t("ui.copied")) : t("ui.copy_failed"));
    if (!ok) {
      return;
    }
    setCopied(true);
    onCopied?.();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Button
      kind={kind}
      size={size}
      icon={copied ? "check" : icon}
      aria-label={copied ? undefined : label}
      onClick={() => void copy()}
    >
      {copied ? (done ?? t("ui.copied")) : (children ?? t("ui.copy"))}
    </Button>
  );
}

interface CopyFieldProps {
  label: string;
  text: string;
  children?: ComponentChildren;
  done?: string;
  kind?: "primary" | "plain";
}

/** CopyField shows a link or token with its copy button. */
export function CopyField({ label, text, children, done, kind }: CopyFieldProps) {
  const id = useId();
  return (
    <div class="copy-field">
      <label class="visually-hidden" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="input mono"
        dir="ltr"
        readOnly
        value={text}
        spellcheck={false}
        autocomplete="off"
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={text} done={done} kind={kind}>
        {children}
      </CopyButton>
    </div>
  );
}
