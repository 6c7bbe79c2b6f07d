import { State } from "./contract";
import type { Metadata } from "./gen/hush/v1/metadata_pb";
import { asRefusal } from "./refusal";
import { receipts } from "./rpc";

export interface Follower {
  /** The receipt, now and after every change. */
  onReceipt: (metadata: Metadata) => void;
  /** Whether the connection stands. */
  onLive: (live: boolean) => void;
  /** There is no such receipt: nothing more will come. */
  onGone: (thrown: unknown) => void;
}

/** The service sends something every 15 seconds. */
const silence = 40_000;
const firstPause = 1_000;
const longestPause = 30_000;

/**
 * follow keeps a page up to date with a receipt until signal ends it. It comes
 * back after breaks, ever more slowly, and at once when the browser is online
 * or the page is looked at again. A hidden page lets go after a minute.
 */
export async function follow(metadataKey: string, follower: Follower, signal: AbortSignal): Promise<void> {
  let pause = firstPause;
  while (!signal.aborted) {
    const call = new AbortController();
    const end = () => call.abort();
    signal.addEventListener("abort", end, { once: true });
    try {
      if (await listen(metadataKey, follower, call, () => (pause = firstPause))) {
        return;
      }
    } catch (thrown) {
      const { code } = asRefusal(thrown);
      if (code === "not_found" || code === "permission_denied" || code === "unauthenticated") {
        follower.onGone(thrown);
        return;
      }
      pause = Math.max(pause, asRefusal(thrown).retryAfter * 1000);
    } finally {
      signal.removeEventListener("abort", end);
      call.abort();
    }
    if (!signal.aborted) {
      follower.onLive(false);
      await rest(pause * (0.75 + Math.random() / 2), signal);
      pause = Math.min(pause * 2, longestPause);
    }
  }
}

/** listen is true if the secret has ended, so that nothing more will come. */
async function listen(
  metadataKey: string,
  follower: Follower,
  call: AbortController,
  onMessage: () => void,
): Promise<boolean> {
  const stopWatching = hideAfter(60_000, () => call.abort());
  let timer = setTimeout(() => call.abort(), silence);
  let ended = false;
  try {
    const stream = (await receipts()).watchMetadata({ metadataKey }, { signal: call.signal });
    for await (const { metadata } of stream) {
      clearTimeout(timer);
      timer = setTimeout(() => call.abort(), silence);
      onMessage();
      follower.onLive(true);
      if (metadata) {
        follower.onReceipt(metadata);
        ended = !waits(metadata);
      }
    }
    return ended;
  } finally {
    clearTimeout(timer);
    stopWatching();
  }
}

/** waits is whether the secret can still be opened. That its key is not shown says nothing of it. */
export function waits(metadata: Pick<Metadata, "state">): boolean {
  const state = metadata.state as number;
  return state === State.new || state === State.viewed;
}

/** hideAfter calls fn once the page has been hidden for so long. */
function hideAfter(milliseconds: number, fn: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const change = () => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(fn, milliseconds);
    }
  };
  document.addEventListener("visibilitychange", change);
  change();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", change);
  };
}

/** rest waits; shorter if the page becomes visible, or the browser online. */
function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      removeEventListener("online", done);
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    const look = () => {
      if (!document.hidden) {
        done();
      }
    };
    const timer = setTimeout(document.hidden ? () => undefined : done, milliseconds);
    signal.addEventListener("abort", done);
    addEventListener("online", done);
    document.addEventListener("visibilitychange", look);
  });
}
