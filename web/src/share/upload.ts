/* What calls that store a content have in common: how far they are, and how they fail. */
import { flowing } from "../flow";
import { asRefusal, Refusal } from "../refusal";
import { stillTime } from "./still";

/** CanceledError says that a person gave up before a content had left, so that nothing was shared. */
export class CanceledError extends Error {}

/** canceled returns what is thrown for an error after a person gave up. */
export function canceled(signal: AbortSignal): (thrown: unknown) => never {
  return (thrown) => {
    throw signal.aborted ? new CanceledError("nothing was sent") : thrown;
  };
}

/** isLost reports whether a call failed so that what it stores may be there all the same. */
export function isLost(thrown: unknown): boolean {
  const { code, unsent } = asRefusal(thrown);
  return !unsent && ["offline", "unknown", "internal", "unavailable", "deadline_exceeded"].includes(code);
}

/**
 * watch makes a call tell how much of it has left. It ends one that stands still, or
 * that a person cancels. The answer to what has left gets any time.
 */
export function watch(signal: AbortSignal, onSent: ((part: number) => void) | undefined) {
  const call = new AbortController();
  let whole = false;
  const abort = () => call.abort();
  // What has left may be stored: its answer has the receipt.
  const giveUp = () => {
    if (!whole) {
      abort();
    }
  };
  signal.addEventListener("abort", giveUp);
  const began = performance.now();
  let timer = setTimeout(abort, stillTime(0, 0));
  const sent = (done: number, total: number) => {
    clearTimeout(timer);
    whole = done >= total;
    if (!whole) {
      timer = setTimeout(abort, stillTime(done, performance.now() - began));
    }
    onSent?.(total > 0 ? done / total : 0);
  };
  return {
    options: { signal: call.signal, headers: flowing({ sent }) },
    failed: (thrown: unknown): never => {
      if (signal.aborted && !whole) {
        throw new CanceledError("the content had not left");
      }
      throw call.signal.aborted ? new Refusal("", { code: "offline" }) : thrown;
    },
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    },
  };
}
