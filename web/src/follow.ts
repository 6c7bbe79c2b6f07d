/* Keeps a page up to date with what the service streams: a receipt, or a collection. */
import { asRefusal } from "./refusal";

export interface Follower<T> {
  /** Called with the value at first and after every change. */
  onValue: (value: T) => void;
  /** Called with whether the connection is up. */
  onLive: (live: boolean) => void;
  /** Called when nothing more can happen to it; nothing follows. */
  onOver: () => void;
  /** Called if it does not exist or may not be read; nothing follows. */
  onGone: (thrown: unknown) => void;
}

/** How long a stream may be silent: the service sends something every 15 seconds. */
const silence = 40_000;
/** After a lost connection: the pauses of the first minute, and how many of them there are; then they grow. */
const firstPause = 2_000;
const firstPauses = 30;
const longestPause = 30_000;
/** How often to poll if no stream is available. */
const pollPause = 15_000;
/** How often a hidden page polls: a visitor may have many, and forget them. */
const firstHiddenPause = 30_000;
const longestHiddenPause = 180_000;

/** Source is where a value comes from: the service, except in tests. */
export interface Source<T> {
  /** Returns a stream of the value; a message without it is a heartbeat. */
  watch: (signal: AbortSignal) => Promise<AsyncIterable<T | undefined>>;
  get: (signal: AbortSignal) => Promise<T | undefined>;
  /** Reports whether nothing more can happen to the value. */
  isOver: (value: T) => boolean;
  /** Reports whether nothing more can happen to the value that was the only message of a stream which ended. */
  isOverAlone?: (value: T) => boolean;
}

/**
 * follow keeps a page up to date with a value until signal aborts. After a lost
 * connection it tries again every two seconds for a minute, then with growing
 * pauses, and at once when the browser goes online or the page becomes visible. A
 * hidden page gives its stream back after a minute, and polls with growing pauses. If
 * the service has no stream left, follow polls and asks for a stream each time.
 */
export async function follow<T>(source: Source<T>, follower: Follower<T>, signal: AbortSignal): Promise<void> {
  let pause = firstPause;
  let hiddenPause = firstHiddenPause;
  let tries = 0;
  let began = false;
  const begin = () => {
    pause = firstPause;
    hiddenPause = firstHiddenPause;
    tries = 0;
  };
  while (!signal.aborted) {
    const call = new AbortController();
    const end = () => call.abort();
    signal.addEventListener("abort", end, { once: true });
    const polls = began && document.hidden;
    let live = false;
    let least = 0;
    try {
      const over = polls ? await poll(source, follower, call) : await followStream(source, follower, call, begin);
      if (over) {
        follower.onOver();
        return;
      }
      live = polls; // a stream has ended
    } catch (thrown) {
      if (isFinal(thrown)) {
        follower.onGone(thrown);
        return;
      }
      const { code, retryAfter } = asRefusal(thrown);
      least = retryAfter * 1000;
      if (code === "resource_exhausted" && !document.hidden) {
        pause = Math.max(pause, pollPause, least);
        const found = await pollInstead(source, follower, call);
        if (found === "over") {
          return;
        }
        live = found === "waits";
      }
    } finally {
      signal.removeEventListener("abort", end);
      call.abort();
    }
    began = true;
    if (signal.aborted) {
      return;
    }
    follower.onLive(live);
    const next = (document.hidden ? hiddenPause : pause) * (0.75 + Math.random() / 2);
    if (await pauseFor(Math.max(next, least), signal, true)) {
      begin();
    } else if (document.hidden) {
      hiddenPause = Math.min(hiddenPause * 1.5, longestHiddenPause);
    } else {
      tries += 1;
      if (tries >= firstPauses || pause > firstPause) {
        pause = Math.min(pause * 2, longestPause);
      }
    }
  }
}

/** isFinal reports whether calling again is pointless. */
function isFinal(thrown: unknown): boolean {
  const { code } = asRefusal(thrown);
  return code === "not_found" || code === "permission_denied" || code === "unauthenticated";
}

/** poll gets the value once, and reports whether it is final. */
async function poll<T>(source: Source<T>, follower: Follower<T>, call: AbortController): Promise<boolean> {
  const timer = setTimeout(() => call.abort(), silence);
  try {
    const value = await source.get(call.signal);
    if (value) {
      follower.onValue(value);
    }
    return value !== undefined && source.isOver(value);
  } finally {
    clearTimeout(timer);
  }
}

/** pollInstead gets the value once after a stream was refused, and returns whether to go on. */
async function pollInstead<T>(
  source: Source<T>,
  follower: Follower<T>,
  call: AbortController,
): Promise<"over" | "waits" | "failed"> {
  try {
    if (!(await poll(source, follower, call))) {
      return "waits";
    }
    follower.onOver();
    return "over";
  } catch (thrown) {
    if (isFinal(thrown)) {
      follower.onGone(thrown);
      return "over";
    }
    return "failed";
  }
}

/** followStream follows one stream. It reports whether the value is final: its last message says so, or its only one. */
async function followStream<T>(
  source: Source<T>,
  follower: Follower<T>,
  call: AbortController,
  onMessage: () => void,
): Promise<boolean> {
  const stopWatching = whenHiddenFor(60_000, () => call.abort());
  let timer = setTimeout(() => call.abort(), silence);
  let last: T | undefined;
  let messages = 0;
  try {
    const stream = await source.watch(call.signal);
    for await (const value of stream) {
      clearTimeout(timer);
      timer = setTimeout(() => call.abort(), silence);
      onMessage();
      follower.onLive(true);
      messages += 1;
      if (value) {
        last = value;
        follower.onValue(value);
      }
    }
    return last !== undefined && (source.isOver(last) || (messages === 1 && source.isOverAlone?.(last) === true));
  } finally {
    clearTimeout(timer);
    stopWatching();
  }
}

/** whenHiddenFor calls fn when the page has been hidden for the given time. It returns a function that stops it. */
function whenHiddenFor(milliseconds: number, fn: () => void): () => void {
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

/**
 * pauseFor waits, and at least until the page is visible unless it may end hidden. It
 * returns early, and reports so, if the page becomes visible or the browser goes online.
 */
export function pauseFor(milliseconds: number, signal: AbortSignal, hidden = false): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (early: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      removeEventListener("online", wake);
      document.removeEventListener("visibilitychange", wake);
      resolve(early);
    };
    const stop = () => end(false);
    const wake = () => {
      if (!document.hidden) {
        end(true);
      }
    };
    // A page that may not end hidden waits for its visitor when the time is over.
    const timer = setTimeout(() => (document.hidden && !hidden) || end(false), milliseconds);
    signal.addEventListener("abort", stop);
    addEventListener("online", wake);
    document.addEventListener("visibilitychange", wake);
  });
}
