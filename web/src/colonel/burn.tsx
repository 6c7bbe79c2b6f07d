import { useState } from "preact/hooks";
import { dateOf } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { type Problem, useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/colonel";
import { t as receiptsText } from "../i18n/receipts";
import { reportedKey } from "../link";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { colonel } from "../rpc";
import { announce, Button, Card, Facts, Field, Form, Notice, TextInput, Time } from "../ui";

function burnProblem(thrown: unknown): Problem {
  const gone = asRefusal(thrown).code === "not_found";
  return { field: "", text: gone ? t("colonel.burn.gone") : problemText(thrown) };
}

/** BurnReported burns the secret of a reported link. */
export function BurnReported({ onBurned }: { onBurned: () => void }) {
  const [link, setLink] = useState("");
  const [wrong, setWrong] = useState(false);
  const [asking, setAsking] = useState(false);
  const [burned, setBurned] = useState<Metadata>();
  const submission = useSubmit(burnProblem);
  const key = reportedKey(link);
  const ask = () => {
    setBurned(undefined);
    setWrong(!key);
    setAsking(Boolean(key));
  };
  const burn = () =>
    submission.run(async () => {
      const { metadata } = await colonel.burnReportedSecret({ link: key });
      setAsking(false);
      setLink("");
      setBurned(metadata);
      announce(t("colonel.burned"));
      onBurned();
    });
  return (
    <Card title={t("colonel.burn.title")}>
      <p class="muted">{t("colonel.burn.lead")}</p>
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
      {burned && <Burned metadata={burned} />}
      <ConfirmCall
        submission={submission}
        open={asking}
        onClose={() => setAsking(false)}
        title={t("colonel.burn.confirm")}
        action={t("burn.confirm")}
        busy={t("burn.busy")}
        onConfirm={burn}
      >
        <p>{t("colonel.burn.warning")}</p>
      </ConfirmCall>
    </Card>
  );
}

function Burned({ metadata }: { metadata: Metadata }) {
  const [created, expires] = [dateOf(metadata.createTime), dateOf(metadata.secretExpireTime)];
  return (
    <Notice kind="good">
      <p>
        <strong>{t("colonel.burned")}</strong>
      </p>
      <Facts
        rows={[
          [
            receiptsText("receipt.fact.key"),
            metadata.secretShortkey && <code dir="ltr">{metadata.secretShortkey}</code>,
          ],
          [receiptsText("receipt.fact.created"), created && <Time date={created} />],
          [receiptsText("receipt.fact.expires"), expires && <Time date={expires} />],
          [receiptsText("receipt.fact.domain"), metadata.shareDomain],
        ]}
      />
    </Notice>
  );
}
