import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { EncryptionBadge } from "../endtoend/label";
import { dateOf, duration, secondsOf } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import { problemText } from "../problem";
import { receipts } from "../rpc";
import { announce, Button, Facts, Field, Form, Icon, TextInput, Time } from "../ui";
import { phaseOf } from "./phase";
import { Deliveries, Timeline } from "./timeline";

interface FoldsProps {
  metadata: Metadata;
  /** Whether what happened is unfolded at first. */
  told: boolean;
  onChange: (metadata: Metadata) => void;
}

/** Folds has what a receipt knows besides its state, folded under its headings. */
export function Folds({ metadata, told, onChange }: FoldsProps) {
  return (
    <div class="card folds">
      {metadata.events.length > 0 && (
        <Fold title={t("receipt.timeline")} open={told}>
          <Timeline events={metadata.events} />
        </Fold>
      )}
      {metadata.deliveries.length > 0 && (
        <Fold title={t("receipt.deliveries")} open>
          <Deliveries deliveries={metadata.deliveries} />
        </Fold>
      )}
      <Fold title={t("receipt.facts")}>
        <About metadata={metadata} />
      </Fold>
      <Fold title={t("share.label")} open={metadata.memo !== ""}>
        <Memo metadata={metadata} onChange={onChange} />
      </Fold>
    </div>
  );
}

interface FoldProps {
  title: string;
  /** Whether it is unfolded until the visitor folds it, and again after a change. */
  open?: boolean;
  children: ComponentChildren;
}

function Fold({ title, open = false, children }: FoldProps) {
  return (
    <section class="fold">
      <details open={open}>
        <summary>
          <h2>{title}</h2>
          <Icon name="down" />
        </summary>
        <div class="fold-body">{children}</div>
      </details>
    </section>
  );
}

function About({ metadata }: { metadata: Metadata }) {
  const waiting = phaseOf(metadata) === "waiting";
  const time = (at: Date | undefined) => at && <Time date={at} />;
  return (
    <Facts
      rows={[
        [
          t("receipt.fact.key"),
          <span class="mono" dir="ltr">
            {metadata.secretShortkey}…
          </span>,
        ],
        [t("receipt.fact.created"), time(dateOf(metadata.createTime))],
        [t("receipt.fact.lifetime"), duration(secondsOf(metadata.ttl))],
        [t("receipt.fact.expires"), waiting && time(dateOf(metadata.secretExpireTime))],
        [t("receipt.fact.forgotten"), time(dateOf(metadata.expireTime))],
        [t("receipt.fact.passphrase"), waiting && passphraseFact(metadata)],
        [t("receipt.fact.domain"), metadata.shareDomain && <bdi>{metadata.shareDomain}</bdi>],
        [t("receipt.fact.encryption"), <EncryptionBadge encryption={metadata.encryption} />],
      ]}
    />
  );
}

function passphraseFact(metadata: Metadata): string {
  return t(metadata.hasPassphrase ? "receipt.fact.passphrase.yes" : "receipt.fact.passphrase.no");
}

/** Memo is the sender's label, with a save button. */
function Memo({ metadata, onChange }: { metadata: Metadata; onChange: (metadata: Metadata) => void }) {
  const [memo, setMemo] = useState(metadata.memo);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const answer = await receipts.updateMetadata({ metadataKey: metadata.metadataKey, memo });
      setProblem(undefined);
      announce(t("receipt.memo.saved"));
      if (answer.metadata) {
        onChange(answer.metadata);
      }
    } catch (thrown) {
      setProblem(problemText(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form onSend={() => void save()}>
      <Field label={t("share.label")} hideLabel hint={t("share.label.hint")} error={problem}>
        <TextInput value={memo} onValue={setMemo} maxLength={500} autocomplete="off" />
      </Field>
      {memo !== metadata.memo && (
        <div class="row no-print">
          <Button type="submit" busy={busy}>
            {t("receipt.save")}
          </Button>
        </div>
      )}
    </Form>
  );
}
