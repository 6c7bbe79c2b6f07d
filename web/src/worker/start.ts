import altchaUrl from "./altcha?worker&url";
import { answerOf, failed } from "./exchange";
import saveUrl from "./save?worker&url";
import stretchUrl from "./stretch?worker&url";

/** The scripts of the workers. */
const urls = { altcha: altchaUrl, stretch: stretchUrl, save: saveUrl };

/** The script of the service worker; see download/sw.ts. */
const serviceUrl = "/sw.js";

/**
 * ask starts a worker, sends it a question, returns its answer and ends it. It ends
 * early if signal aborts. It throws a Refusal that says what to do if there is no answer.
 */
export async function ask<Answer>(name: keyof typeof urls, question: unknown, signal?: AbortSignal): Promise<Answer> {
  signal?.throwIfAborted();
  return await answerOf<Answer>(startWorker(name), question, signal);
}

/** startWorker starts a worker. It throws a Refusal that says what to do. */
export function startWorker(name: keyof typeof urls): Worker {
  try {
    return new Worker(scriptURL(urls[name]) as string, { type: "module" });
  } catch {
    throw failed(); // a browser that forbids workers, or has no room for one
  }
}

interface Policy {
  createScriptURL(url: string): unknown;
}

interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | undefined;

/** scriptURL passes the UI's only Trusted Types policy, which allows the addresses of the workers. */
export function scriptURL(url: string): unknown {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  policy ??= factory?.createPolicy("hush", {
    createScriptURL(url) {
      if (url !== serviceUrl && !Object.values(urls).includes(url)) {
        throw new TypeError("not a script of this page");
      }
      return url;
    },
  });
  return policy ? policy.createScriptURL(url) : url;
}
