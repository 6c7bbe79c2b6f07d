import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { EventKind } from "../contract";
import { dateOf, exact, size } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Collection } from "../gen/hush/v1/request_service_pb";
import { rich, t } from "../i18n/collect";
import { t as receipt } from "../i18n/receipts";
import { Timeline } from "../receipts/timeline";
import { requests } from "../rpc";
import { announce, Button, Card, Empty, Icon, Relative } from "../ui";
import { hasClaim } from "./claim";
import { type Entry, isOpen, type Phase, type Shown } from "./collector";
import type { Call } from "./usecollection";

interface AnswersProps {
  shown: Shown;
  call: Call;
  onOpen: (entry: Entry) => Promise<void>;
  onChange: (collection: Collection) => void;
}

/** Answers lists the answers in the order in which they came. */
export function Answers({ shown, call, onOpen, onChange }: AnswersProps) {
  const [burning, setBurning] = useState<Entry>();
  if (shown.entries.length === 0) {
    return (
      <Empty icon="mail" title={t(isOpen(shown) ? "collect.none" : "collect.none.over")}>
        {isOpen(shown) && <p>{t("collect.none.text")}</p>}
      </Empty>
    );
  }
  return (
    <Card title={t("collect.answers")}>
      <ol class="receipts answers">
        {shown.entries.map((entry) => (
          <Row
            key={entry.id}
            entry={entry}
            collectKey={call.collectKey}
            onOpen={() => void onOpen(entry)}
            onBurn={() => setBurning(entry)}
          />
        ))}
      </ol>
      <BurnDialog entry={burning} call={call} onClose={() => setBurning(undefined)} onBurned={onChange} />
    </Card>
  );
}

const badges: Record<Phase, string> = {
  waiting: "badge-accent",
  opening: "badge-warn",
  opened: "badge-good",
  lapsed: "badge-warn",
  burned: "badge-warn",
  expired: "badge-warn",
};

interface RowProps {
  entry: Entry;
  collectKey: string;
  onOpen: () => void;
  onBurn: () => void;
}

function Row({ entry, collectKey, onOpen, onBurn }: RowProps) {
  const { place, phase, refused, secret, answer, shared } = entry;
  const waits = phase === "waiting";
  const isOurs = useOwnClaim(entry, collectKey);
  return (
    <li class="answer">
      <div class="answer-head">
        <Name entry={entry} />
        {refused ? (
          <span class="badge badge-bad">{t("collect.phase.refused")}</span>
        ) : (
          <span class={`badge ${badges[phase]}`}>{t(`collect.phase.${phase}`)}</span>
        )}
      </div>
      <Said entry={entry} />
      {waits && !(refused === "repeat" && shared) && (
        <div class="row answer-actions">
          {secret && !refused && (
            <Button
              kind="primary"
              size="small"
              icon="eye"
              aria-label={t("collect.open.named", { number: place })}
              onClick={onOpen}
            >
              {t("collect.open")}
            </Button>
          )}
          <Button size="small" icon="fire" aria-label={t("collect.burn.named", { number: place })} onClick={onBurn}>
            {t("collect.burn")}
          </Button>
        </div>
      )}
      {isOurs && secret && !refused && (
        <div class="row answer-actions">
          <Button kind="primary" icon="eye" aria-label={t("collect.again.named", { number: place })} onClick={onOpen}>
            {t("collect.again")}
          </Button>
        </div>
      )}
      {answer.events.length > 0 && (
        <details>
          <summary class="small">
            {receipt("receipt.timeline")}
            <Icon name="down" />
          </summary>
          <Timeline events={answer.events} />
        </details>
      )}
    </li>
  );
}

/** useOwnClaim reports whether this device is the one that opens an answer, and can do so again. */
function useOwnClaim({ id, phase }: Entry, collectKey: string): boolean {
  const [isOurs, setOurs] = useState(false);
  useEffect(() => {
    setOurs(false);
    if (phase === "opening") {
      void hasClaim(collectKey, id).then(setOurs);
    }
  }, [phase]);
  return isOurs && phase === "opening";
}

/** Name is what an answer is, as far as it is known before it is opened. The heading may have its number. */
export function Name({ entry, headed }: { entry: Entry; headed?: boolean }) {
  const { place, name, answer, refused } = entry;
  const came = dateOf(answer.createTime);
  return (
    <div class="receipt-what">
      <p class="answer-name">
        {!headed && <span class="muted">{t("collect.answer", { number: place })} </span>}
        {name !== undefined && !refused && <strong dir="auto">{name || t("collect.text")}</strong>}
      </p>
      <p class="muted small receipt-facts">
        {came && (
          <span>{rich("collect.came", { when: <Relative date={came} past just={receipt("receipt.just")} /> })}</span>
        )}
        <span>{size(Number(answer.size))}</span>
        {answer.hasPassphrase && (
          <span class="receipt-locked">
            <Icon name="lock" />
            {receipt("recent.passphrase")}
          </span>
        )}
      </p>
    </div>
  );
}

/** Said says what can become of an answer, or what became of it. */
function Said({ entry }: { entry: Entry }): ComponentChildren {
  const { phase, refused, answer } = entry;
  if (refused) {
    return <p class="small">{t(`collect.refused.${refused}`)}</p>;
  }
  const expires = dateOf(answer.expireTime);
  const opened = dateOf(answer.events.findLast(({ kind }) => (kind as number) === EventKind.revealed)?.time);
  switch (phase) {
    case "waiting":
      return expires && <p class="small muted">{t("collect.waits", { time: exact(expires) })}</p>;
    case "opening":
      return <p class="small">{t("collect.opening")}</p>;
    case "opened":
      return opened && <p class="small muted">{t("collect.opened", { time: exact(opened) })}</p>;
    case "lapsed":
      return <p class="small">{t("collect.lapsed")}</p>;
    default:
      return null;
  }
}

interface BurnProps {
  /** The answer to burn; the dialog is open while it is set. */
  entry: Entry | undefined;
  call: Call;
  onClose: () => void;
  onBurned: (collection: Collection) => void;
}

/** BurnDialog asks before it burns an answer. */
function BurnDialog({ entry, call, onClose, onBurned }: BurnProps) {
  const submission = useSubmit();
  const burn = () =>
    submission.run(async () => {
      if (!entry) {
        return;
      }
      const { collection } = await requests.burnAnswer({ ...call, number: entry.answer.number });
      announce(receipt("receipt.answer.burned"));
      onClose();
      if (collection) {
        onBurned(collection);
      }
    });
  return (
    <ConfirmCall
      submission={submission}
      open={entry !== undefined}
      onClose={onClose}
      title={receipt("receipt.answer.burn.title")}
      action={receipt("receipt.answer.burn")}
      busy={t("burn.busy")}
      onConfirm={burn}
    >
      {entry && <Name entry={entry} />}
      <p>{t("collect.burn.text")}</p>
    </ConfirmCall>
  );
}
