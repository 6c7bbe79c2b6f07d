import { useEffect, useRef, useState } from "preact/hooks";
import { exact, percent } from "../format";
import { t } from "../i18n/download";
import { t as opening } from "../i18n/open";
import { AskLinkForm } from "../open/asklink";
import { passphraseProblem, revealProblem } from "../open/press";
import { Button, Field, Form, Notice, PasswordInput } from "../ui";
import type { Known, State } from "./download";

interface PressingProps {
  state: Exclude<State, { at: "loading" | "finishing" | "confirming" | "saved" | "unfit" | "gone" }>;
  hasPassphrase: boolean;
  known: Known | undefined;
  owned: boolean;
  room: boolean;
  onPress: (passphrase: string) => void;
}

/** Pressing has the button that downloads a file, with its passphrase, and what became of the attempt. */
export function Pressing({ state, hasPassphrase, known, owned, room, onPress }: PressingProps) {
  const [passphrase, setPassphrase] = useState("");
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  const refusal = state.at === "form" ? state.refusal : undefined;
  const asks = hasPassphrase && (!known || (state.at === "held" && state.why === "altered"));
  const busy = state.at === "choosing" || state.at === "deriving" || state.at === "asking";
  const problem = missing
    ? opening("open.passphrase.missing")
    : state.at === "form"
      ? passphraseProblem(state)
      : undefined;
  const focusField = () => field.current?.querySelector("input")?.focus();
  useEffect(() => {
    if (refusal) {
      focusField();
    }
  }, [refusal]);
  const press = (event: MouseEvent) => {
    event.preventDefault();
    // Only a person's click or key is trusted; those of scripts and scanners are not.
    if (!event.isTrusted || busy || state.at === "arriving") {
      return;
    }
    const lacks = asks && passphrase === "";
    setMissing(lacks);
    if (lacks) {
      focusField();
    } else {
      onPress(asks ? passphrase : "");
    }
  };
  if (refusal?.reason === "link") {
    return (
      <>
        <Notice kind="bad">{opening("reveal.link")}</Notice>
        <AskLinkForm />
      </>
    );
  }
  if (!room) {
    return <Notice kind="warn">{t("download.none")}</Notice>;
  }
  return (
    <Form onSend={() => undefined}>
      {owned && <Notice kind="warn">{opening("open.own")}</Notice>}
      {asks && (
        <div ref={field}>
          <Field label={opening("open.passphrase")} hint={opening("open.passphrase.hint")} error={problem}>
            <PasswordInput value={passphrase} onValue={setPassphrase} autofocus />
          </Field>
        </div>
      )}
      <Trouble state={state} hasPassphrase={hasPassphrase} />
      {refusal && !problem && <Notice kind="bad">{revealProblem(refusal)}</Notice>}
      <Button
        type="submit"
        kind="primary"
        size="large"
        wide
        icon={asks ? "eye" : "download"}
        busy={busy || state.at === "arriving"}
        onClick={press}
      >
        {labelOf(state, asks)}
      </Button>
      {state.at === "arriving" && <p class="muted small">{t("download.arriving.text")}</p>}
      {state.at === "form" && <p class="muted small">{t("download.once")}</p>}
    </Form>
  );
}

/** Trouble says why a file is not being saved. */
function Trouble({ state, hasPassphrase }: Pick<PressingProps, "state" | "hasPassphrase">) {
  switch (state.at) {
    case "offline":
      return <Notice kind="warn">{opening("reveal.offline")}</Notice>;
    case "elsewhere":
      return <Notice kind="warn">{t("download.elsewhere")}</Notice>;
    case "arriving":
      return state.line === "up" ? null : <Notice kind="warn">{t("download.arriving.broken")}</Notice>;
    case "asking":
      return state.line === "up" ? null : (
        <Notice kind="warn">{t(state.line === "down" ? "download.down" : "download.broken")}</Notice>
      );
    case "form":
      return state.trouble ? (
        <Notice kind="warn">{t(state.trouble === "room" ? "download.room.unopened" : "download.none")}</Notice>
      ) : null;
    case "held":
      return (
        <Notice kind={state.why === "opened" ? "good" : state.why === "altered" ? "bad" : "warn"}>
          <p>
            {t(state.why === "altered" && hasPassphrase ? "download.altered.passphrase" : `download.${state.why}`, {
              time: exact(new Date(state.until)),
            })}
          </p>
          {state.trouble && <p>{t("download.none")}</p>}
        </Notice>
      );
    default:
      return null;
  }
}

function labelOf(state: PressingProps["state"], asks: boolean): string {
  switch (state.at) {
    case "arriving":
      return t("download.arriving", { part: percent(state.part) });
    case "choosing":
      return t("download.choosing");
    case "deriving":
      return asks ? opening("reveal.deriving") : t("download.opening");
    case "asking":
      return t("download.opening");
    case "held":
      return asks ? t("download.unlock") : t(state.why === "opened" ? "download.submit" : "download.again");
    default:
      return t(asks ? "download.unlock" : "download.submit");
  }
}
