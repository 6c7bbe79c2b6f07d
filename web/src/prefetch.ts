/**
 * prefetch calls functions that load the scripts of the next pages, while the browser has
 * nothing to do. It calls one after the other: what the visitor presses meanwhile comes first.
 */
export async function prefetch(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of loads) {
    await idle();
    // Browsers may remember a failure until the page is loaded again.
    if (navigator.onLine && !document.hidden) {
      await load().catch(() => undefined);
    }
  }
}

/** Where the browser does not say when it is idle, this long is long enough. */
const pause = 2_000;

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) {
      requestIdleCallback(resolve);
    } else {
      setTimeout(resolve, pause);
    }
  });
}
