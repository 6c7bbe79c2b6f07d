import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { byteLength, size } from "../format";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { account, policy } from "../session";
import { type Created, check, conceal, type Draft, empty, limit, type Problem, problemOf } from "../share/draft";
import { Options } from "../share/options";
import { Button, Card, Field, Form, Icon, LinkButton, Notice, Page, Segmented, TextArea } from "../ui";

const Generator = lazy(() => import("../share/generator"));
const Result = lazy(() => import("../share/result"));

type Mode = "text" | "generate";

/** Share is the home page: the form, and then the links in its place. */
export function Share() {
  const [created, setCreated] = useState<Created>();
  if (created) {
    return <Result created={created} onAnother={() => setCreated(undefined)} />;
  }
  return (
    <Page title={t("share.title")} lead={t("share.lead")}>
      {mayShare() ? <ShareForm onCreated={setCreated} /> : <SignInFirst />}
      <Points />
    </Page>
  );
}

function mayShare(): boolean {
  return policy.value?.anonymousCreate !== false || Boolean(account.value);
}

function SignInFirst() {
  return (
    <Notice>
      <p>{t("share.signin")}</p>
      <LinkButton kind="primary" href="/signin">
        {t("app.signin")}
      </LinkButton>
    </Notice>
  );
}

function ShareForm({ onCreated }: { onCreated: (created: Created) => void }) {
  const draft = useSignal<Draft>(empty);
  const [mode, setMode] = useState<Mode>("text");
  const [problem, setProblem] = useState<Problem>({});
  const [busy, setBusy] = useState<"" | "sending" | "proving">("");
  const area = useRef<HTMLDivElement>(null);
  const change = (part: Partial<Draft>) => {
    draft.value = { ...draft.value, ...part };
  };
  useEffect(
    () => () => {
      draft.value = empty;
    },
    [],
  );

  const submit = async () => {
    const found = check(draft.value);
    setProblem(found);
    if (busy || found.field) {
      area.current?.querySelector<HTMLElement>("[aria-invalid], textarea")?.focus();
      return;
    }
    setBusy("sending");
    try {
      const answer = await conceal(draft.value, () => setBusy("proving"));
      onCreated({ answer, generated: mode === "generate" ? draft.value.text : "" });
      draft.value = empty;
    } catch (thrown) {
      setProblem(problemOf(thrown));
    } finally {
      setBusy("");
    }
  };
  const d = draft.value;
  return (
    <div ref={area}>
      <Form onSend={() => void submit()} label={t("share.title")}>
        <Card>
          <Segmented
            label={t("share.mode")}
            hideLabel
            value={mode}
            onValue={(next) => {
              change({ text: "" });
              setMode(next);
            }}
            options={[
              ["text", t("share.mode.text")],
              ["generate", t("share.mode.generate")],
            ]}
          />
          {mode === "text" ? (
            <TextBox
              draft={d}
              error={problem.field === "secret" ? problem.text : undefined}
              change={change}
              send={submit}
            />
          ) : (
            <Generator text={d.text} onText={(text: string) => change({ text })} />
          )}
          <Options draft={d} problem={problem} change={change} />
          {problem.text && problem.field === "form" && <Notice kind="bad">{problem.text}</Notice>}
          <Button type="submit" kind="primary" size="large" wide busy={busy !== ""}>
            {busy === "proving" ? t("share.proving") : busy ? t("share.submitting") : t("share.submit")}
          </Button>
        </Card>
      </Form>
    </div>
  );
}

interface TextBoxProps {
  draft: Draft;
  error: string | undefined;
  change: (part: Partial<Draft>) => void;
  send: () => Promise<void>;
}

function TextBox({ draft, error, change, send }: TextBoxProps) {
  const used = byteLength(draft.text);
  const over = used > limit();
  return (
    <div class="share-box">
      <Field label={t("share.secret")} error={error}>
        <TextArea
          mono
          value={draft.text}
          onValue={(text) => change({ text })}
          placeholder={t("share.placeholder")}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              void send();
            }
          }}
        />
      </Field>
      {used > limit() / 2 && (
        <p class={`share-count ${over ? "share-count-over" : ""}`}>
          {over
            ? t("share.too_large", { over: size(used - limit()) })
            : t("share.size", { used: size(used), limit: size(limit()) })}
        </p>
      )}
    </div>
  );
}

function Points() {
  return (
    <section aria-label={t("share.promises.title")}>
      <ul class="points">
        <li>
          <Icon name="lock" />
          <strong>{t("share.promise.once")}</strong>
          {t("share.promise.once.text")}
        </li>
        <li>
          <Icon name="clock" />
          <strong>{t("share.promise.expires")}</strong>
          {t("share.promise.expires.text")}
        </li>
        <li>
          <Icon name="receipt" />
          <strong>{t("share.promise.receipt")}</strong>
          {t("share.promise.receipt.text")}
        </li>
      </ul>
    </section>
  );
}
