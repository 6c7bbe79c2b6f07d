import { Encryption, EventKind, State } from "../contract";
import { secondsOf } from "../format";
import type { File } from "../gen/hush/v1/file_pb";
import type { Metadata } from "../gen/hush/v1/metadata_pb";

/** Phase is what a receipt shows of its secret's state. A viewed secret still waits to be opened. */
export type Phase = "waiting" | "received" | "burned" | "expired";

/** phaseOf returns the phase of a receipt. */
export function phaseOf(metadata: Pick<Metadata, "state">): Phase {
  switch (metadata.state as number) {
    case State.received:
      return "received";
    case State.burned:
      return "burned";
    case State.expired:
      return "expired";
    default:
      return "waiting";
  }
}

/** endOf returns when a receipt's secret expires, or when it was opened, burned or expired. */
export function endOf(metadata: Metadata): Metadata["updateTime"] {
  switch (phaseOf(metadata)) {
    case "received":
      return metadata.receiveTime;
    case "burned":
      return metadata.burnTime;
    default:
      return metadata.secretExpireTime;
  }
}

/** isWaiting reports whether the secret can still be opened, whether or not the receipt shows its key. */
export function isWaiting(metadata: Pick<Metadata, "state">): boolean {
  const state = metadata.state as number;
  return state === State.new || state === State.viewed;
}

/** isLockedForGood reports whether the secret still exists, but no passphrase opens it any more. */
export function isLockedForGood({ state, lockedForGood }: Pick<Metadata, "state" | "lockedForGood">): boolean {
  return lockedForGood && isWaiting({ state });
}

/** Confirmation is whether the recipient's device said that it has the content. */
export type Confirmation = "pending" | "delivered" | "lapsed";

/** For how many seconds a recipient's device can confirm at most, with some to spare. */
const confirmable = 130;

type Opened = Pick<Metadata, "state" | "events" | "receiveTime" | "expireTime" | "ttlLeft"> &
  Partial<Pick<Metadata, "file">>;

/**
 * confirmationOf returns what a receipt shows of the confirmation: nothing for a
 * secret that was not opened, was opened by a device that never confirms, or whose
 * timeline the visitor may not see. The recipient of a file has hours, and the service
 * says when they are over.
 */
export function confirmationOf(metadata: Opened): Confirmation | undefined {
  const has = (kind: number) => metadata.events.some((event) => (event.kind as number) === kind);
  if (phaseOf(metadata) !== "received") {
    return undefined;
  }
  if (has(EventKind.delivered)) {
    return "delivered";
  }
  if (has(EventKind.lapsed)) {
    return "lapsed";
  }
  const awaited = metadata.file !== undefined || sinceOpened(metadata) < confirmable;
  return has(EventKind.revealed) && awaited ? "pending" : undefined;
}

/** sinceOpened returns the seconds from the opening to the service's answer, by the service's clock. */
function sinceOpened({ receiveTime, expireTime, ttlLeft }: Opened): number {
  return Number(expireTime?.seconds ?? 0) - secondsOf(ttlLeft) - Number(receiveTime?.seconds ?? 0);
}

/** isSettled reports whether nothing more happens to the secret. */
export function isSettled(metadata: Opened): boolean {
  return !isWaiting(metadata) && confirmationOf(metadata) !== "pending";
}

/** isArriving reports whether the secret is a file of which parts are missing, so that it cannot be opened yet. */
export function isArriving({ state, file }: Pick<Metadata, "state"> & Partial<Pick<Metadata, "file">>): boolean {
  return isWaiting({ state }) && file?.complete === false;
}

/** isMoving reports whether parts of a file may be on their way, from the sender or to the recipient. */
export function isMoving(metadata: Opened): boolean {
  return isArriving(metadata) || (metadata.file !== undefined && confirmationOf(metadata) === "pending");
}

/** shareOf returns how much of a file some of its parts are, from 0 to 1. */
export function shareOf(parts: number, { parts: all }: Pick<File, "parts">): number {
  return all > 0 ? parts / all : 0;
}

/** isEndToEnd reports whether no server knows the secret's link. */
export function isEndToEnd({ encryption }: Pick<Metadata, "encryption">): boolean {
  return (encryption as number) === Encryption.end_to_end;
}

/**
 * isAnswer reports whether a receipt is that of an answer to a request that waits. It is
 * the only one without an account that shows no key: the answer's is for the requester.
 */
export function isAnswer(
  metadata: Pick<Metadata, "state" | "secretKey" | "custid" | "events" | "encryption">,
): boolean {
  const { secretKey, custid, events } = metadata;
  return isWaiting(metadata) && isEndToEnd(metadata) && secretKey === "" && custid === "" && events.length > 0;
}
