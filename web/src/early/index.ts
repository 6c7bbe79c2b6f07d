/*
 * The first script. It has the scripts of the page loaded that visitors begin with: the
 * one that shares, and those that open a link. There it also asks for the secret's details.
 * Both happen while the browser still loads the application, which takes the answer with
 * taken. On every page it makes what stands
 * there until then look as the visitor chose, and says at once if the application does
 * not come. It fits in 2,048 bytes and imports nothing that the application needs too.
 *
 * An answer that it does not get is no error: then the application asks.
 */
import { prepare } from "./chosen";
import { keyOf } from "./key";

/** Answer is what the service answered. Nothing of it was checked. */
export interface Answer {
  status: number;
  body: unknown;
}

const own = keyOf({ pathname: location.pathname, hash: location.hash, secure: "subtle" in crypto });
let answer = own && ask(own);

/** taken returns the answer about a key, once, and undefined if the first script did not ask or got none. */
export async function taken(key: string): Promise<Answer | undefined> {
  if (!answer || key !== own) {
    return undefined;
  }
  const got = answer;
  answer = undefined;
  return got;
}

async function ask(secretKey: string): Promise<Answer | undefined> {
  try {
    const response = await fetch("/hush.v1.SecretService/GetSecret", {
      method: "POST",
      redirect: "error",
      headers: { "Content-Type": "application/json", "Connect-Protocol-Version": "1" },
      body: JSON.stringify({ secretKey }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** preload loads what a page imports. vite.config.ts lists it in the tag of this script. */
function preload(lists: DOMStringMap): void {
  const [, page] = location.pathname.split("/");
  const list = page === "secret" ? lists.s : page ? lists[page] : lists.share;
  for (const href of list ? list.split(" ") : []) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
  }
}

preload(document.querySelector("script")?.dataset ?? {});

/** watch marks the page once one of its scripts has failed to load, and makes the button reload that the page shows then. */
function watch({ dataset }: HTMLElement): void {
  const failed = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement) {
      dataset.failed = "";
    }
  };
  addEventListener("error", failed, true);
  addEventListener("click", ({ target }) => (target as Element).closest(".late button") && location.reload());
  dataset.early = "";
}

watch(document.documentElement);
prepare(document.documentElement);
