import altchaUrl from "./altcha?worker&url";
import stretchUrl from "./stretch?worker&url";

/** The scripts of the workers. */
const urls = { altcha: altchaUrl, stretch: stretchUrl };

/** ask starts a worker, sends it a question, returns its answer and ends it. It ends early if signal aborts. */
export async function ask<Answer>(name: keyof typeof urls, question: unknown, signal?: AbortSignal): Promise<Answer> {
  signal?.throwIfAborted();
  const worker = new Worker(scriptURL(urls[name]) as string, { type: "module" });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      worker.onmessage = (event: MessageEvent<Answer>) => resolve(event.data);
      worker.onerror = () => reject(new Error(`the worker ${name} failed`));
      worker.postMessage(question);
    });
  } finally {
    worker.terminate();
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
function scriptURL(url: string): unknown {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  policy ??= factory?.createPolicy("hush", {
    createScriptURL(url) {
      if (!Object.values(urls).includes(url)) {
        throw new TypeError("not a script of this page");
      }
      return url;
    },
  });
  return policy ? policy.createScriptURL(url) : url;
}
