import { useState } from "preact/hooks";
import { EncryptionName } from "../endtoend/label";
import { dateOf } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { rich, t } from "../i18n/receipts";
import { secrets } from "../rpc";
import { addressOf } from "../share/made";
import { announce, Button, Icon, Relative } from "../ui";
import { burnWords } from "./burn";
import { endOf, type Phase, phaseOf } from "./phase";

interface ListProps {
  rows: readonly Metadata[];
  /** Called with the new state of a receipt. */
  onChange: (metadata: Metadata) => void;
}

/** ReceiptList lists receipts, with a burn button for each secret that was not opened. */
export function ReceiptList({ rows, onChange }: ListProps) {
  const [burning, setBurning] = useState<Metadata>();
  return (
    <>
      <ul class="receipts">
        {rows.map((row) => (
          <Row key={row.metadataKey} metadata={row} group={groupOf(row, rows)} onBurn={() => setBurning(row)} />
        ))}
      </ul>
      <BurnDialog
        metadata={burning}
        onClose={() => setBurning(undefined)}
        onBurned={(metadata) => {
          setBurning((now) => (now === burning ? undefined : now)); // perhaps it asks about another by now
          onChange(metadata);
        }}
      />
    </>
  );
}

/** The styles of the badges of phases. */
export const badges: Record<Phase, string> = {
  waiting: "badge-accent",
  received: "badge-good",
  burned: "badge-warn",
  expired: "badge-warn",
};

/** groupOf returns the keys of the receipts in a list that are of a receipt's group. */
function groupOf({ group }: Metadata, rows: readonly Metadata[]): string[] {
  const name = group.join();
  return group.length > 0 ? rows.filter((row) => row.group.join() === name).map((row) => row.metadataKey) : [];
}

interface RowProps {
  metadata: Metadata;
  /** The keys of the receipts of its group. */
  group: readonly string[];
  onBurn: () => void;
}

function Row({ metadata, group, onBurn }: RowProps) {
  const phase = phaseOf(metadata);
  return (
    <li class="receipt-row">
      <span class={`badge ${badges[phase]}`}>{t(`recent.state.${phase}`)}</span>
      <div class="receipt-what">
        <a href={`/r#${metadata.metadataKey}`}>
          <bdi>{nameOf(metadata)}</bdi>
        </a>
        <p class="muted small receipt-facts">
          <Facts metadata={metadata} phase={phase} />
          {group.length > 1 && <a href={`/r#${addressOf(group)}`}>{t("group.one_of", { count: group.length })}</a>}
        </p>
      </div>
      {phase === "waiting" && (
        <Button
          size="small"
          icon="fire"
          aria-label={t("recent.burn.named", { name: nameOf(metadata) })}
          onClick={onBurn}
        >
          {t("recent.burn")}
        </Button>
      )}
    </li>
  );
}

/** Facts shows the details of a receipt in one line. */
function Facts({ metadata, phase }: { metadata: Metadata; phase: Phase }) {
  const created = dateOf(metadata.createTime);
  const end = dateOf(endOf(metadata) ?? metadata.updateTime);
  return (
    <>
      {metadata.memo && (
        <span>
          <span class="mono" dir="ltr">
            {metadata.secretShortkey}…
          </span>
        </span>
      )}
      {metadata.recipients.length > 0 && (
        <span>{t("recent.recipients", { recipients: metadata.recipients.join(", ") })}</span>
      )}
      {metadata.shareDomain && <span>{t("recent.domain", { domain: metadata.shareDomain })}</span>}
      {created && <span>{rich("recent.created", { when: <Relative date={created} just={t("receipt.just")} /> })}</span>}
      {end && (
        <span>
          {rich(phase === "waiting" ? "recent.expires" : `recent.${phase}`, {
            when: <Relative date={end} {...(phase !== "waiting" && { just: t("receipt.just") })} />,
          })}
        </span>
      )}
      <EncryptionName encryption={metadata.encryption} />
      {phase === "waiting" && metadata.hasPassphrase && (
        <span class="receipt-locked">
          <Icon name="lock" />
          {t("recent.passphrase")}
        </span>
      )}
    </>
  );
}

/** nameOf returns what a list calls a secret. */
export function nameOf(metadata: Metadata): string {
  return metadata.memo || t("recent.untitled", { key: metadata.secretShortkey });
}

interface BurnDialogProps {
  /** The secret to burn; the dialog is open while it is set. */
  metadata: Metadata | undefined;
  onClose: () => void;
  onBurned: (metadata: Metadata) => void;
}

/** BurnDialog asks before it burns a secret. The owner needs no passphrase. */
export function BurnDialog({ metadata, onClose, onBurned }: BurnDialogProps) {
  const submission = useSubmit();
  const words = burnWords(metadata);
  const burn = () =>
    submission.run(async () => {
      if (!metadata) {
        return;
      }
      const answer = await secrets.burnSecret({ metadataKey: metadata.metadataKey });
      announce(words.burned);
      onBurned(answer.metadata ?? metadata);
    });
  return (
    <ConfirmCall
      submission={submission}
      open={metadata !== undefined}
      onClose={onClose}
      title={words.title}
      action={words.action}
      busy={t("burn.busy")}
      onConfirm={burn}
    >
      {metadata && (
        <p>
          <strong dir="auto">{nameOf(metadata)}</strong>
        </p>
      )}
      <p>{words.text}</p>
    </ConfirmCall>
  );
}
