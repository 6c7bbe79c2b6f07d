import { useState } from "preact/hooks";
import { charCount } from "../format";
import { SubmitButton } from "../forms/formerror";
import { type Proof, useProof } from "../forms/proof";
import { type Problem, useSubmit } from "../forms/submit";
import { number } from "../i18n";
import { t, tn } from "../i18n/about";
import { keyIn } from "../link";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { place } from "../router";
import { intake } from "../rpc";
import { account } from "../session";
import { announce, Button, Card, Empty, Field, Form, Icon, LinkButton, Page, Spinner, TextArea } from "../ui";

/** The most characters in a message. */
const limit = 1500;

/** Feedback is the page for messages to the operator. */
export default function Feedback() {
  const [sent, setSent] = useState(false);
  return sent ? <Thanks onAnother={() => setSent(false)} /> : <Message onSent={() => setSent(true)} />;
}

/** reportOf begins the report of a request, whose key the address may have. The secret part of its link never is in it. */
function reportOf(key: string): string {
  return key && `${t("feedback.request", { key })}\n\n`;
}

function feedbackProblem(thrown: unknown): Problem {
  const text = problemText(thrown);
  return { field: asRefusal(thrown).field === "message" ? "message" : "", text };
}

function Message({ onSent }: { onSent: () => void }) {
  const [message, setMessage] = useState(() => reportOf(keyIn(place.peek().hash)));
  const proof = useProof("feedback");
  const submission = useSubmit(feedbackProblem);
  const anonymous = !account.value;
  const write = (text: string) => {
    submission.clear();
    setMessage(text);
    if (anonymous && text.trim()) {
      proof.begin();
    }
  };
  const send = () =>
    submission.run(async () => {
      await intake.receiveFeedback({
        message: message.trim(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone.slice(0, 64),
        authenticityPayload: anonymous ? await proof.take() : "",
      });
      announce(t("feedback.thanks"));
      onSent();
    }, check(message));
  const used = charCount(message.trim());
  return (
    <Page short title={t("feedback.title")} lead={t("feedback.lead")}>
      <Card>
        <div ref={submission.area}>
          <Form onSend={send} label={t("feedback.title")}>
            <Field
              label={t("feedback.message")}
              hint={t("feedback.count", { used: number(used), limit: number(limit) })}
              error={submission.errorAt("message") ?? (used > limit ? check(message)?.text : undefined)}
            >
              <TextArea rows={6} value={message} onValue={write} placeholder={t("feedback.placeholder")} />
            </Field>
            <p class="muted small">{t("feedback.care")}</p>
            {anonymous && <ProofStatus state={proof.state} />}
            <SubmitButton submission={submission} text={t("feedback.submit")} busy={busyText(anonymous, proof)} wide />
          </Form>
        </div>
      </Card>
    </Page>
  );
}

function busyText(anonymous: boolean, proof: Proof): string {
  return anonymous && proof.state === "working" ? t("feedback.proof.working") : t("feedback.sending");
}

function check(message: string): Problem | undefined {
  const used = charCount(message.trim());
  if (used === 0) {
    return { field: "message", text: t("feedback.empty") };
  }
  return used > limit ? { field: "message", text: tn("feedback.over", used - limit) } : undefined;
}

/** ProofStatus shows the progress of the challenge. */
function ProofStatus({ state }: { state: Proof["state"] }) {
  return (
    <div class="proof" role="status">
      {state === "working" && (
        <>
          <Spinner />
          <span>{t("feedback.proof.working")}</span>
          <progress aria-label={t("feedback.proof.working")} />
        </>
      )}
      {state === "done" && (
        <>
          <Icon name="check" />
          <span>{t("feedback.proof.done")}</span>
        </>
      )}
      {state === "idle" && <span>{t("feedback.proof.idle")}</span>}
    </div>
  );
}

function Thanks({ onAnother }: { onAnother: () => void }) {
  return (
    <Page short title={t("feedback.thanks")}>
      <Empty icon="check" title={t("feedback.thanks.text")}>
        <div class="row">
          <LinkButton kind="primary" href="/">
            {t("app.share")}
          </LinkButton>
          <Button onClick={onAnother}>{t("feedback.another")}</Button>
        </div>
      </Empty>
    </Page>
  );
}
