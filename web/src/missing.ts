/* Why a script of this page did not load. */

/**
 * Cause is why: the browser has no line, the service does not answer, a new release
 * is out whose scripts have other names, or none of these.
 */
export type Cause = "offline" | "unreachable" | "updated" | "failed";

/** How long the service may take to answer. */
const patience = 10_000;

/** Surroundings is what the cause depends on. */
export interface Surroundings {
  online: boolean;
  /** The address of the script that runs this page. */
  script: string;
  /** Loads the page that the service has now. */
  load: () => Promise<Pick<Response, "ok" | "text">>;
}

/** causeOfMissing returns why a script did not load. It never throws. */
export async function causeOfMissing({ online, script, load }: Surroundings = own()): Promise<Cause> {
  if (!online) {
    return "offline";
  }
  try {
    const answer = await load();
    return answer.ok && !(await answer.text()).includes(script) ? "updated" : "failed";
  } catch {
    return "unreachable";
  }
}

function own(): Surroundings {
  return {
    online: navigator.onLine,
    script: document.querySelector("script[type=module]:not([async])")?.getAttribute("src") ?? "",
    load: () => fetch("/about", { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(patience) }),
  };
}
