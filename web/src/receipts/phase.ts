import { State } from "../contract";
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
