/* Repeats calls that a broken line or a service in trouble made fail. */
import { Refusal } from "../refusal";

/** Pause is why nothing is sent for a moment: there is no line to the service, or the service asks for it. */
export type Pause = "line" | "service";

/** Persistence is how calls are repeated. */
export interface Persistence {
  signal: AbortSignal;
  /** Is told why a call is repeated. */
  onPause: (why: Pause) => void;
  /** Waits for so many milliseconds, or for less if the line is back. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const firstWait = 1_000;
const longestWait = 30_000;

/** What a call fails with that may succeed later. */
const passing = ["offline", "canceled", "unknown", "deadline_exceeded", "aborted", "internal", "unavailable"];

/** pauseFor returns why a call is to be repeated, or undefined for what no repeat mends. */
export function pauseFor(thrown: unknown): Pause | undefined {
  if (!(thrown instanceof Refusal) || isTooLarge(thrown)) {
    return undefined;
  }
  if (thrown.code === "resource_exhausted") {
    return "service";
  }
  return passing.includes(thrown.code) ? "line" : undefined;
}

/** isTooLarge reports whether a proxy before the service takes no request of this length. */
export function isTooLarge({ message }: Refusal): boolean {
  return /^HTTP 413\b/.test(message);
}

/** persist makes a call until it succeeds, or fails for good. Its error is then the call's, and so it is once the signal aborts. */
export async function persist<T>(call: () => Promise<T>, { signal, onPause, wait }: Persistence): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (thrown) {
      const why = pauseFor(thrown);
      if (!why || signal.aborted) {
        throw thrown;
      }
      onPause(why);
      const own = Math.min(firstWait * 2 ** tries, longestWait) * (0.75 + Math.random() / 2);
      await wait(Math.max(own, (thrown as Refusal).retryAfter * 1000), signal);
      if (signal.aborted) {
        throw thrown;
      }
    }
  }
}
