import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { inSeconds } from "../format";
import { t } from "../i18n/open";
import { passphraseText, problemText } from "../problem";
import type { Refusal } from "../refusal";
import { Button, Field, Form, Notice, PasswordInput } from "../ui";
import type { Progress } from "./reveal";
import { Arriving, Trouble, textOf } from "./trouble";

interface PressProps {
  hasPassphrase: boolean;
  progress: Progress;
  /** Whether the device, and not the server, says that a passphrase is missing. */
  checksPassphrase: boolean;
  /** The text of the button: that of a secret unless it is said. */
  action?: string;
  /** What stands in place of the form when the server refused the link's proof. */
  wrongLink: ComponentChildren;
  onReveal: (passphrase: string) => void;
  onAgain: () => void;
}

/** Press has the button that opens a secret, with its passphrase, and what became of the attempt. */
export function Press(props: PressProps) {
  const { hasPassphrase: asks, progress, checksPassphrase, action, wrongLink, onReveal, onAgain } = props;
  const [passphrase, setPassphrase] = useState("");
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  const busy = progress.at === "deriving" || progress.at === "asking";
  const refusal = progress.at === "form" ? progress.refusal : undefined;
  const problem = missing ? t("open.passphrase.missing") : passphraseProblem(progress);
  const focusField = () => field.current?.querySelector("input")?.focus();
  useEffect(() => {
    if (refusal) {
      focusField();
    }
  }, [refusal]);

  const reveal = (event: MouseEvent) => {
    event.preventDefault();
    // Only a person's click or key is trusted; those of scripts and scanners are not.
    if (!event.isTrusted || busy) {
      return;
    }
    const lacks = checksPassphrase && asks && passphrase === "";
    setMissing(lacks);
    if (lacks) {
      focusField();
    } else {
      onReveal(asks ? passphrase : "");
    }
  };
  if (textOf(progress) !== undefined) {
    return <Trouble progress={progress} onAgain={onAgain} />;
  }
  if (refusal?.reason === "link") {
    return <>{wrongLink}</>;
  }
  return (
    <Form onSend={() => undefined}>
      {asks && (
        <div ref={field}>
          <Field label={t("open.passphrase")} hint={t("open.passphrase.hint")} error={problem}>
            <PasswordInput value={passphrase} onValue={setPassphrase} autofocus />
          </Field>
        </div>
      )}
      {progress.at === "offline" && <Notice kind="warn">{t("reveal.offline")}</Notice>}
      {refusal && !problem && <Notice kind="bad">{revealProblem(refusal)}</Notice>}
      {progress.at === "asking" && <Arriving received={progress.received} />}
      <Button type="submit" kind="primary" size="large" wide icon="eye" busy={busy} onClick={reveal}>
        {progress.at === "deriving" && asks && checksPassphrase
          ? t("reveal.deriving")
          : busy
            ? t("open.revealing")
            : (action ?? t("open.reveal"))}
      </Button>
    </Form>
  );
}

/** passphraseProblem returns what is wrong with the passphrase of the last attempt; undefined if nothing is. */
export function passphraseProblem(
  progress: Progress | { at: "form"; malformed?: boolean; refusal?: Refusal },
): string | undefined {
  if (progress.at !== "form") {
    return undefined;
  }
  if (progress.malformed || progress.refusal?.code === "broken_text") {
    return t("reveal.malformed");
  }
  return progress.refusal?.reason === "passphrase" ? passphraseText(progress.refusal) : undefined;
}

/** revealProblem returns why the server did not open a secret. */
export function revealProblem(refusal: Refusal): string {
  if (refusal.reason === "locked" && !refusal.forGood) {
    return t("open.locked", { when: inSeconds(refusal.retryAfter) });
  }
  if (refusal.reason === "version") {
    return t("reveal.version");
  }
  return problemText(refusal);
}
