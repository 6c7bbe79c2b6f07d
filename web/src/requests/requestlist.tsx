import { useState } from "preact/hooks";
import { dateOf, exact } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Request } from "../gen/hush/v1/request_pb";
import { t, tn } from "../i18n/requests";
import { requests } from "../rpc";
import { announce, Button, Checkbox } from "../ui";
import { Times } from "./devicecard";
import type { Row } from "./list";
import { type State, stateOf } from "./state";

interface ListProps {
  rows: readonly Row[];
  /** Called with the new state of a request. */
  onChange: (request: Request) => void;
}

/** RequestList lists an account's requests, with a button that closes each, or burns what waits after its end. */
export function RequestList({ rows, onChange }: ListProps) {
  const [closing, setClosing] = useState<Row>();
  return (
    <>
      <ul class="receipts">
        {rows.map((row) => (
          <RequestRow key={row.request.id} row={row} onClose={() => setClosing(row)} />
        ))}
      </ul>
      <CloseDialog
        row={closing}
        onClose={() => setClosing(undefined)}
        onClosed={(request) => {
          setClosing((now) => (now === closing ? undefined : now)); // perhaps it asks about another by now
          onChange(request);
        }}
      />
    </>
  );
}

/** The styles of the badges of states. */
const badges: Record<State, string> = {
  open: "badge-accent",
  full: "badge-good",
  past: "badge-warn",
  closed: "badge-warn",
  withdrawn: "badge-bad",
};

/** nameOf returns what a list calls a request: the title if this device knows it. */
function nameOf({ request, kept }: Row): string {
  const created = dateOf(request.createTime);
  return kept?.title ?? t("requests.untitled", { date: created ? exact(created) : "" });
}

function RequestRow({ row, onClose }: { row: Row; onClose: () => void }) {
  const { request, kept } = row;
  const state = stateOf(request);
  const name = nameOf(row);
  const open = state === "open";
  return (
    <li class="receipt-row">
      <span class={`badge ${badges[state]}`}>{t(`requests.state.${state}`)}</span>
      <div class="receipt-what">
        {kept ? (
          <a href={`/c#${kept.place}`}>
            <bdi>{name}</bdi>
          </a>
        ) : (
          <p class="request-name">{name}</p>
        )}
        <p class="muted small receipt-facts">
          {request.waiting > 0 && <strong class="request-waiting">{tn("requests.waiting", request.waiting)}</strong>}
          <Facts request={request} state={state} />
          <span>{t(kept ? "requests.key.here" : "requests.key.saved")}</span>
        </p>
      </div>
      {(open || request.waiting > 0) && (
        <Button
          size="small"
          icon={open ? "close" : "fire"}
          aria-label={t(open ? "requests.close.named" : "requests.burn.named", { name })}
          onClick={onClose}
        >
          {t(open ? "requests.close" : "requests.burn")}
        </Button>
      )}
    </li>
  );
}

/** Facts shows the numbers and times of a request in one line. */
function Facts({ request, state }: { request: Request; state: State }) {
  const open = state === "open";
  const created = dateOf(request.createTime) ?? new Date();
  const ends = dateOf(open || state === "past" ? request.expireTime : request.updateTime) ?? new Date();
  return (
    <>
      <span>{t("requests.answered", { answered: request.answered, answers: request.answers })}</span>
      {state === "withdrawn" && <span>{t("requests.withdrawn")}</span>}
      {request.shareDomain && <span>{t("requests.domain", { domain: request.shareDomain })}</span>}
      <Times created={created} ends={ends} open={open} />
    </>
  );
}

interface CloseDialogProps {
  /** The request to close; the dialog is open while it is set. */
  row: Row | undefined;
  onClose: () => void;
  onClosed: (request: Request) => void;
}

/** CloseDialog asks before it closes a request, or burns the answers that wait. */
function CloseDialog({ row, onClose, onClosed }: CloseDialogProps) {
  const [burning, setBurning] = useState(false);
  const submission = useSubmit();
  const open = row && stateOf(row.request) === "open";
  const close = () => {
    setBurning(false);
    onClose();
  };
  const confirm = () =>
    submission.run(async () => {
      if (!row) {
        return;
      }
      const burnAnswers = burning || !open;
      const answer = await requests.closeRequest({ id: row.request.id, burnAnswers });
      announce(t(open ? "requests.closed" : "requests.burned"));
      setBurning(false);
      onClosed(answer.request ?? row.request);
    });
  return (
    <ConfirmCall
      submission={submission}
      open={row !== undefined}
      onClose={close}
      title={t(open ? "requests.close.title" : "requests.burn.title")}
      action={t(open ? "requests.close.action" : "requests.burn")}
      busy={t(open ? "requests.close.busy" : "burn.busy")}
      onConfirm={confirm}
    >
      {row && (
        <p>
          <strong dir="auto">{nameOf(row)}</strong>
        </p>
      )}
      {open ? (
        <>
          <p>{t("requests.close.text")}</p>
          {row.request.waiting > 0 && (
            <Checkbox checked={burning} onChecked={setBurning} hint={t("requests.close.burn.hint")}>
              {t("requests.close.burn")}
            </Checkbox>
          )}
        </>
      ) : (
        <p>{t("requests.close.burn.hint")}</p>
      )}
    </ConfirmCall>
  );
}
