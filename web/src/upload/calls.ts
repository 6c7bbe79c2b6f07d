/* The calls of an upload, and when they are given up. */
import type { Bytes } from "../endtoend/bytes";
import { flowing } from "../flow";
import { Refusal } from "../refusal";
import { stillTime } from "../share/still";
import files from "../wire/files";
import { Slots } from "./slots";
import type { Calls } from "./upload";

/** Key is what a service asks of a sender: the key of the secret, and the upload token. */
export interface Key {
  secretKey: string;
  uploadToken: Bytes;
}

/** Restart is what it asks besides to begin anew. */
interface Whole extends Key {
  proofHash: Bytes;
}

/** How long the service may take to answer, in milliseconds. It answers a part when that is on its disk. */
const answering = 60_000;

/** What all uploads of this page send at a time: a service holds no more of a network. */
const slots = new Slots(2);

/** callsOf returns the calls of one upload. */
export function callsOf({ proofHash, ...key }: Whole): Calls {
  return {
    put: (number, content, onSent, signal) => slots.run(() => put(key, number, content, onSent, signal)),
    restart: async (signal) => {
      await within(signal, (options) => files.restartUpload({ ...key, proofHash }, options));
    },
    finish: async (signal) => {
      await within(signal, (options) => files.finishFile(key, options));
    },
    cancel: () => cancel(key),
  };
}

/** cancel burns a file that is not finished. One that the service does not have is no error. */
async function cancel(key: Key): Promise<void> {
  try {
    await within(new AbortController().signal, (options) => files.cancelUpload(key, options));
  } catch (thrown) {
    if (!(thrown instanceof Refusal && thrown.code === "not_found")) {
      throw thrown;
    }
  }
}

/** cancelAtEnd cancels an upload whose document is left: no answer comes any more. The token is all that the call needs. */
export function cancelAtEnd({ secretKey, uploadToken }: Key): void {
  void fetch("/hush.v1.FileService/CancelUpload", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ secretKey, uploadToken: btoa(String.fromCharCode(...uploadToken)) }),
    credentials: "omit",
    keepalive: true,
  }).catch(() => undefined);
}

/** put sends a part, and gives up when nothing of it leaves for a while. */
async function put(
  key: Key,
  number: number,
  content: Bytes,
  onSent: (part: number) => void,
  signal: AbortSignal,
): Promise<void> {
  await within(signal, (options, patience) => {
    const began = performance.now();
    patience(stillTime(0, 0));
    const sent = (done: number, total: number) => {
      patience(stillTime(done, performance.now() - began) + (done >= total ? answering : 0));
      onSent(total > 0 ? done / total : 0);
    };
    return files.putPart({ ...key, number, content }, { ...options, headers: flowing({ sent }) });
  });
}

/** within makes a call that is given up once its patience, in milliseconds, is over. It throws a Refusal. */
async function within<T>(
  signal: AbortSignal,
  call: (options: { signal: AbortSignal }, patience: (milliseconds: number) => void) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const abort = () => end.abort();
  let timer = setTimeout(abort, answering);
  const patience = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(abort, milliseconds);
  };
  signal.addEventListener("abort", abort);
  if (signal.aborted) {
    abort();
  }
  try {
    return await call({ signal: end.signal }, patience);
  } catch (thrown) {
    throw end.signal.aborted && !signal.aborted ? new Refusal("", { code: "offline" }) : thrown;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
