import { Refusal } from "./refusal";
import { intake } from "./rpc";
import { scrub } from "./scrub";

/** How many more errors this page may report. */
let remaining = 5;

/**
 * report sends an error of the UI to the administrators. It removes keys, links
 * and e-mail addresses, also from the page's path. A Refusal is not an error.
 */
export function report(thrown: unknown): void {
  if (remaining <= 0 || thrown instanceof Refusal) {
    return;
  }
  remaining -= 1;
  void send(thrown).catch(() => undefined);
}

async function send(thrown: unknown): Promise<void> {
  const error = thrown instanceof Error ? thrown : new Error(typeof thrown);
  await intake.receiveException({
    message: scrub(error.message).slice(0, 1000) || error.name,
    type: error.name.slice(0, 100),
    stack: scrub(error.stack ?? "").slice(0, 2500),
    url: scrub(location.origin + location.pathname),
    userAgent: navigator.userAgent.slice(0, 400),
    environment: "browser",
  });
}

/** reportUncaughtErrors reports uncaught errors. */
export function reportUncaughtErrors(): void {
  addEventListener("error", (event) => report(event.error));
  addEventListener("unhandledrejection", (event) => report(event.reason));
}
