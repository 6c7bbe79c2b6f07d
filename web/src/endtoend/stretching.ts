import { ask } from "../worker/start";
import type { Question } from "../worker/stretch";
import type { Bytes } from "./bytes";
import type { Stretch } from "./keys";

/**
 * stretching returns argon2id in a worker of its own, so that the page stays
 * usable on slow devices. The worker ends with its answer, or when signal aborts; its
 * errors are Refusals.
 */
export function stretching(signal?: AbortSignal): Stretch {
  return (passphrase, salt) => ask<Bytes>("stretch", { passphrase, salt } satisfies Question, signal);
}
