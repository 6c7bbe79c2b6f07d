import { pauseFor } from "../follow";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { asRefusal } from "../refusal";
import { receipts } from "../rpc";
import { isSettled } from "./phase";

interface GroupFollower {
  /** Called with the receipts that still exist, in the order of the keys. */
  onReceipts: (rows: readonly Metadata[]) => void;
  /** Called if they cannot be read now, and with undefined when they can. */
  onError: (thrown: unknown) => void;
  /** Called before each pause with whether the page asks again within seconds. */
  onSoon?: (soon: boolean) => void;
  /** Whether the page has just read the receipts, and the first call can wait. */
  later?: boolean;
}

/** A page is live if no more than this is between two calls. */
const soon = 15_000;

/** Source is where receipts come from: the service, except in tests. */
export type GroupSource = (metadataKeys: string[], signal: AbortSignal) => Promise<readonly Metadata[]>;

const service: GroupSource = async (metadataKeys, signal) =>
  (await receipts.batchGetMetadata({ metadataKeys }, { signal })).metadata;

/**
 * followGroup keeps a page up to date with several receipts, until nothing more can
 * happen to them or signal aborts. It asks for all of them at once, since a browser
 * has few connections for streams. Each counts as a call, and all devices of a network
 * share its calls: so it asks less often the more there are, and the longer the page
 * is open. A hidden page asks for nothing, and asks at once when it is visible again.
 */
export async function followGroup(
  keys: readonly string[],
  follower: GroupFollower,
  signal: AbortSignal,
  source: GroupSource = service,
): Promise<void> {
  const firstPause = Math.max(5_000, keys.length * 2_000);
  const longestPause = Math.max(30_000, keys.length * 15_000);
  let pause = firstPause;
  const wait = (milliseconds: number) => {
    follower.onSoon?.(Math.max(pause, milliseconds / 1.25) <= soon);
    return pauseFor(milliseconds, signal);
  };
  if (follower.later) {
    await wait(pause);
  }
  while (!signal.aborted) {
    let least = 0;
    try {
      const rows = await source([...keys], signal);
      if (signal.aborted) {
        return;
      }
      follower.onError(undefined);
      follower.onReceipts(rows);
      if (rows.every(isSettled)) {
        return;
      }
    } catch (thrown) {
      least = asRefusal(thrown).retryAfter * 1000;
      if (!signal.aborted) {
        follower.onError(thrown);
      }
    }
    const early = await wait(Math.max(pause * (0.75 + Math.random() / 2), least));
    pause = early ? firstPause : Math.min(pause * 1.25, longestPause);
  }
}
