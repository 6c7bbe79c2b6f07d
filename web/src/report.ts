import { Refusal } from "./refusal";
import { intake } from "./rpc";
import { scrub } from "./scrub";

/** How many mistakes one page reports at most. */
let left = 5;

/**
 * report tells the colonels of a mistake of the UI. Keys, links, addresses and
 * whatever was typed are taken out; the page is told without what its path may open. What the
 * service refused is no mistake.
 */
export function report(thrown: unknown): void {
  if (left <= 0 || thrown instanceof Refusal) {
    return;
  }
  left -= 1;
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

/** watchMistakes reports what nobody caught. */
export function watchMistakes(): void {
  addEventListener("error", (event) => report(event.error));
  addEventListener("unhandledrejection", (event) => report(event.reason));
}
