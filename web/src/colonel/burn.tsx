import { useState } from "preact/hooks";
import { dateOf } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { type Problem, useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { number } from "../i18n";
import { t } from "../i18n/colonel";
import { t as receiptsText } from "../i18n/receipts";
import { reportedKey } from "../link";
import { isRequest } from "../open/placeof";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { colonel } from "../rpc";
import { announce, Button, Card, Facts, Field, Form, Notice, TextInput, Time } from "../ui";

function burnProblem(thrown: unknown): Problem {
  const gone = asRefusal(thrown).code === "not_found";
  return { field: "", text: gone ? t("colonel.burn.gone") : problemText(thrown) };
}

/** Ended is what came of a reported link: the receipt of its secret, or how many answers to its request were burned. */
type Ended = { metadata: Metadata | undefined } | { answers: number };

/** end burns the secret with a key, or closes its request. A key without its link may be of either. */
async function end(key: string, ofRequest: boolean): Promise<Ended> {
  if (!ofRequest) {
    try {
      return { metadata: (await colonel.burnReportedSecret({ link: key })).metadata };
    } catch (thrown) {
      if (asRefusal(thrown).code !== "not_found") {
        throw thrown;
      }
    }
  }
  return { answers: (await colonel.withdrawReportedRequest({ requestKey: key })).burned };
}

/** endedText says what came of it. */
function endedText(ended: Ended): string {
  return "answers" in ended ? t("colonel.withdrawn", { count: number(ended.answers) }) : t("colonel.burned");
}

/** BurnReported burns the secret of a reported link, or closes its request. */
export function BurnReported({ onBurned }: { onBurned: () => void }) {
  const [link, setLink] = useState("");
  const [wrong, setWrong] = useState(false);
  const [asking, setAsking] = useState(false);
  const [ended, setEnded] = useState<Ended>();
  const submission = useSubmit(burnProblem);
  const key = reportedKey(link);
  const ofRequest = isRequest(link);
  const ask = () => {
    setEnded(undefined);
    setWrong(!key);
    setAsking(Boolean(key));
  };
  const burn = () =>
    submission.run(async () => {
      const done = await end(key, ofRequest);
      setAsking(false);
      setLink("");
      setEnded(done);
      announce(endedText(done));
      onBurned();
    });
  return (
    <Card title={t("colonel.burn.title")}>
      <p class="muted">
        {t("colonel.burn.lead")} {t("colonel.withdraw.lead")}
      </p>
      <Form onSend={ask} label={t("colonel.burn.title")}>
        <Field
          label={t("colonel.burn.link")}
          hint={t("colonel.burn.hint")}
          error={wrong ? t("colonel.burn.incomplete") : undefined}
        >
          <TextInput
            class="mono"
            dir="ltr"
            inputMode="url"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            maxLength={2048}
            value={link}
            onValue={(text) => {
              setWrong(false);
              setLink(text);
            }}
          />
        </Field>
        <div>
          <Button type="submit" kind="danger" icon="fire">
            {t("colonel.burn.submit")}
          </Button>
        </div>
      </Form>
      {ended && <What ended={ended} />}
      <ConfirmCall
        submission={submission}
        open={asking}
        onClose={() => setAsking(false)}
        title={t(ofRequest ? "colonel.withdraw.confirm" : "colonel.burn.confirm")}
        action={t(ofRequest ? "colonel.withdraw.action" : "burn.confirm")}
        busy={t("burn.busy")}
        onConfirm={burn}
      >
        <p>{t(ofRequest ? "colonel.withdraw.warning" : "colonel.burn.warning")}</p>
      </ConfirmCall>
    </Card>
  );
}

function What({ ended }: { ended: Ended }) {
  return (
    <Notice kind="good">
      <p>
        <strong>{endedText(ended)}</strong>
      </p>
      {"metadata" in ended && ended.metadata && <Receipt metadata={ended.metadata} />}
    </Notice>
  );
}

function Receipt({ metadata }: { metadata: Metadata }) {
  const [created, expires] = [dateOf(metadata.createTime), dateOf(metadata.secretExpireTime)];
  return (
    <Facts
      rows={[
        [receiptsText("receipt.fact.key"), metadata.secretShortkey && <code dir="ltr">{metadata.secretShortkey}</code>],
        [receiptsText("receipt.fact.created"), created && <Time date={created} />],
        [receiptsText("receipt.fact.expires"), expires && <Time date={expires} />],
        [receiptsText("receipt.fact.domain"), metadata.shareDomain],
      ]}
    />
  );
}
