/*
 * Fetches the parts of a file in their order, some at a time, over a line that may break
 * at any moment. An attempt that is lost is repeated without end: the server says when
 * nothing is left to fetch.
 */
import type { Bytes } from "../endtoend/bytes";
import type { World } from "../open/reveal";
import { asRefusal, type Code, type Refusal } from "../refusal";

/** How long the server may say nothing before an attempt is given up. A part that arrives may take any time. */
const silence = 20_000;
const firstPause = 1_000;
const longestPause = 30_000;

/** Line is how the line to the server is: it broke, or the browser has none. */
export type Line = "up" | "broken" | "down";

/** Fetching is what fetches the parts of one file. */
export interface Fetching {
  /** How many parts there are. */
  count: number;
  /** How many calls are under way at the same time. */
  inFlight: number;
  /** Asks for a part, and tells how many bytes of it have arrived. It throws Refusal. */
  get: (number: number, signal: AbortSignal, arrived: (bytes: number) => void) => Promise<Bytes>;
  world: World;
  /** Ends all calls. */
  signal: AbortSignal;
  /** Is told how many bytes of a part have arrived; 0 where an attempt begins. */
  onArrived: (number: number, bytes: number) => void;
  onLine: (line: Line) => void;
}

/**
 * partsFrom returns the parts from the one with that number on, in a row. It holds at most
 * inFlight parts besides the one that the caller works on. It throws the Refusal of a call
 * that no repeat helps, and the signal's reason.
 */
export async function* partsFrom(from: number, fetching: Fetching): AsyncGenerator<Bytes, void, undefined> {
  const { signal, abort, release } = following(fetching.signal);
  const flying: Promise<Bytes>[] = [];
  let next = from;
  const launch = () => {
    while (next < fetching.count && flying.length < fetching.inFlight) {
      const part = persistently(next++, { ...fetching, signal });
      part.catch(() => undefined); // it is thrown when its turn comes
      flying.push(part);
    }
  };
  try {
    for (launch(); flying.length > 0; launch()) {
      const part = await flying[0]!;
      flying.shift();
      yield part;
    }
  } finally {
    release();
    abort();
  }
}

/** following returns a signal that aborts with another one, or when abort is called; release ends that. */
function following(other: AbortSignal): { signal: AbortSignal; abort: () => void; release: () => void } {
  const own = new AbortController();
  const abort = () => own.abort(other.reason);
  if (other.aborted) {
    abort();
  }
  other.addEventListener("abort", abort);
  return { signal: own.signal, abort, release: () => other.removeEventListener("abort", abort) };
}

/** persistently fetches a part, however often that takes. */
async function persistently(number: number, fetching: Fetching): Promise<Bytes> {
  for (let lost = 0; ; lost++) {
    fetching.signal.throwIfAborted();
    fetching.onArrived(number, 0);
    try {
      const part = await attempt(number, fetching);
      fetching.onLine("up");
      return part;
    } catch (thrown) {
      fetching.signal.throwIfAborted();
      const refusal = asRefusal(thrown);
      if (!mayPass(refusal)) {
        throw refusal;
      }
      await rest(pauseAfter(lost, refusal, fetching.world), fetching);
    }
  }
}

/** attempt asks once. It gives up when nothing arrives for long, not when it takes long. */
async function attempt(number: number, { get, world, signal, onArrived, onLine }: Fetching): Promise<Bytes> {
  const call = following(signal);
  let unwatch = world.after(silence, call.abort);
  try {
    return await get(number, call.signal, (bytes) => {
      if (!call.signal.aborted) {
        unwatch();
        unwatch = world.after(silence, call.abort);
        onArrived(number, bytes);
        onLine("up");
      }
    });
  } finally {
    unwatch();
    call.release();
  }
}

/** rest waits before the next attempt: for a while, or for the line, which may come back earlier. */
function rest(pause: number, { world, signal, onLine }: Fetching): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancels: (() => void)[] = [];
    const over = (settle: () => void) => () => {
      for (const cancel of cancels) {
        cancel();
      }
      settle();
    };
    const abort = over(() => reject(signal.reason));
    signal.addEventListener("abort", abort);
    cancels.push(() => signal.removeEventListener("abort", abort));
    onLine(world.online() ? "broken" : "down");
    // A browser may take the line for down that is up: then the longest pause decides.
    cancels.push(world.after(world.online() ? pause : Math.max(pause, longestPause), over(resolve)));
    cancels.push(
      world.onLine((online) => {
        if (online) {
          over(resolve)();
        } else {
          onLine("down");
        }
      }),
    );
  });
}

/** pauseAfter returns how long to wait after so many attempts that were lost in a row, in milliseconds. */
export function pauseAfter(lost: number, { retryAfter }: Pick<Refusal, "retryAfter">, world: World): number {
  const pause = Math.min(firstPause * 2 ** Math.min(lost, 10), longestPause);
  return Math.max(pause * (0.75 + world.random() / 2), retryAfter * 1000);
}

const passing: readonly Code[] = [
  "offline",
  "canceled",
  "unknown",
  "deadline_exceeded",
  "aborted",
  "internal",
  "unavailable",
  "data_loss",
  "resource_exhausted",
];

/** mayPass reports whether the same call may succeed later. */
export function mayPass({ code, reason }: Refusal): boolean {
  return passing.includes(code) || reason === "rate_limited" || reason === "maintenance";
}
