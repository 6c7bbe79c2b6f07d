/* Sends the parts of a file, some at a time. */
import type { Bytes } from "../endtoend/bytes";

/** SourceError says that the next part could not be read or encrypted. */
export class SourceError extends Error {
  constructor(readonly reason: unknown) {
    super("the source cannot be read");
  }
}

/** Put sends a part until the service has it. */
export type Put = (number: number, content: Bytes, signal: AbortSignal) => Promise<void>;

/** How many parts are on their way at most: as many as the service holds for a network at a time. */
const lanes = 2;

/**
 * sendParts sends all parts. Each is made once, when there is room for it, and is kept
 * until put has sent it. It throws what put throws first, or SourceError, and then
 * nothing is sent any more.
 */
export async function sendParts(parts: AsyncIterable<Bytes>, put: Put, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  const abort = () => end.abort();
  signal.addEventListener("abort", abort);
  const numbered = number(parts);
  const lane = async () => {
    for (let next = await numbered.next(); !next.done; next = await numbered.next()) {
      if (end.signal.aborted) {
        return;
      }
      await put(...next.value, end.signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
    signal.throwIfAborted();
  } finally {
    abort();
    signal.removeEventListener("abort", abort);
    void numbered.return();
  }
}

/** number returns parts with their numbers. A generator returns what is asked of it in that order. */
async function* number(parts: AsyncIterable<Bytes>): AsyncGenerator<[number: number, content: Bytes], void, undefined> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (let n = 0; ; n++) {
      const { done, value } = await iterator.next().catch((thrown: unknown) => {
        throw new SourceError(thrown);
      });
      if (done) {
        return;
      }
      yield [n, value];
    }
  } finally {
    await iterator.return?.();
  }
}
