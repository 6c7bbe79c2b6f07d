import type { ComponentChildren } from "preact";
import { dateOf, percent, size } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { type Key, rich, t } from "../i18n/receipts";
import { receiptLink } from "../link";
import { policy } from "../session";
import type { FileFacts } from "../share/draft";
import { FileLine } from "../share/thumb";
import { Button, Card, Icon, type IconName, Notice, Relative } from "../ui";
import { CopyButton } from "../ui/copy";
import { Burn } from "./burn";
import { LiveMark } from "./livemark";
import { type Confirmation, endOf, isAnswer, isArriving, isLockedForGood, type Phase, shareOf } from "./phase";

interface StatusProps {
  metadata: Metadata;
  phase: Phase;
  confirmation: Confirmation | undefined;
  /** Whether it was opened while the page was shown. */
  opened: boolean;
  /** Whether the connection is up. */
  live: boolean;
  /** Whether the page shows the link of what was just shared, with when that expires. */
  fresh: boolean;
  /** Whether the page sends the file, and shows how far it is. */
  sends: boolean;
  /** The file that was shared, if this device knows it and the page does not show it yet. */
  file: FileFacts | undefined;
  onChange: (metadata: Metadata) => void;
  /** More buttons. */
  actions?: ComponentChildren;
  /** What else can be done with the receipt. */
  children?: ComponentChildren;
}

/** Status is the card with the state of a secret, which changes by itself, and what the sender can do about it. */
export function Status(props: StatusProps) {
  const { metadata, phase, confirmation, opened, live, fresh, sends, file, onChange, actions, children } = props;
  const follows = phase === "waiting" || confirmation === "pending";
  return (
    <Card kind={phase === "received" && confirmation !== "lapsed" ? "good" : "keep"} turned={opened}>
      <State {...{ metadata, phase, confirmation, opened, fresh, sends }}>{follows && <LiveMark live={live} />}</State>
      {file && <FileLine name={file.name} size={size(file.size)} />}
      {isLockedForGood(metadata) && (
        <Notice kind="warn">{t(isAnswer(metadata) ? "receipt.answer.locked" : "receipt.locked")}</Notice>
      )}
      <div class="row status-actions no-print">
        {phase === "waiting" && <Burn metadata={metadata} onBurned={onChange} />}
        <CopyButton text={receiptLink(policy.value?.baseUrl ?? "", metadata.metadataKey)}>
          {t("receipt.copy")}
        </CopyButton>
        {actions}
        {!fresh && !metadata.secretKey && (
          <Button icon="print" onClick={() => print()}>
            {t("receipt.print")}
          </Button>
        )}
      </div>
      {children}
    </Card>
  );
}

const marks: Record<Phase | "lapsed" | "arriving", IconName> = {
  waiting: "clock",
  arriving: "upload",
  received: "check",
  lapsed: "warn",
  burned: "fire",
  expired: "clock",
};

/** summaryOf returns the sentence about a state. */
function summaryOf(metadata: Metadata, phase: Phase, confirmation: Confirmation | undefined): Key {
  if (isAnswer(metadata)) {
    return "receipt.summary.answer";
  }
  return `receipt.summary.${confirmation === "pending" ? "pending" : phase}`;
}

/** arrivingText says how much of a file has arrived. The page that sends it knows that better, and shows it itself. */
function arrivingText({ file }: Metadata, sends: boolean): string {
  return sends || !file
    ? t("receipt.file.waits")
    : t("receipt.file.arriving", { percent: percent(shareOf(file.arrived, file)) });
}

/** confirmationText says whether the recipient has the content, or how much of a file. */
export function confirmationText({ file }: Metadata, confirmation: Confirmation): string {
  return file && confirmation === "pending"
    ? t("receipt.file.fetched", { percent: percent(shareOf(file.fetched, file)) })
    : t(`receipt.confirmation.${confirmation}`);
}

type StateProps = Pick<StatusProps, "metadata" | "phase" | "confirmation" | "opened" | "fresh" | "sends" | "children">;

function State({ metadata, phase, confirmation, opened, fresh, sends, children }: StateProps) {
  const date = dateOf(endOf(metadata)) ?? new Date();
  const state = confirmation === "lapsed" ? "lapsed" : isArriving(metadata) ? "arriving" : phase;
  return (
    <div class={`state state-${state} ${opened ? "state-turned" : ""}`}>
      <span class="state-mark">
        <Icon name={marks[state]} />
      </span>
      <div class="stack-s">
        <div class="state-head">
          <h2>{t(`receipt.state.${state}` as Key)}</h2>
          {children}
        </div>
        {fresh ? (
          <p>{t("receipt.fresh.keep")}</p>
        ) : (
          <p>
            {rich(summaryOf(metadata, phase, confirmation), {
              relative: <Relative date={date} {...(phase !== "waiting" && { past: true, just: t("receipt.just") })} />,
            })}
          </p>
        )}
        {state === "arriving" && <p>{arrivingText(metadata, sends)}</p>}
        {confirmation && <p>{confirmationText(metadata, confirmation)}</p>}
      </div>
    </div>
  );
}
