/*
 * What this page shared a moment ago. Its links are in memory only, and only until
 * the receipt that shows them is left.
 */
import { computed, signal } from "@preact/signals";
import { askBeforeLeaving, navigate, onLeave } from "../router";
import type { Created } from "./draft";

/** Made is what one form was shared as. */
export interface Made {
  /** The links, one for each recipient. */
  links: readonly Created[];
  /** The text if this page generated it. */
  generated: string;
  /** The passphrase if this page drew it. */
  phrase: string;
  /** What was not made because the service refused it. */
  rest?: Rest;
}

/** Rest is what is left of a form after a refusal. The first of it was refused, the others were not tried. */
export interface Rest {
  /** Whom the missing links are for. */
  names: readonly string[];
  /** Why the first was refused. */
  reason: string;
  /** Whether the first may have been made all the same, because its answer was lost. */
  lost: boolean;
  /** Whether the server was to mail the links. */
  mailed: boolean;
  /** again tries the rest, and shows what came of it. */
  again: () => Promise<void>;
}

const shown = signal<Made | undefined>(undefined);
/** The receipts of links that no other page can show, and that were not kept yet. */
const unkept = new Set<string>();
let stopAsking = () => {};
let stopShowing = () => {};

/** made is what was shared last, while its receipt is shown. */
export const made = computed(() => shown.value);

/** addressOf returns what the address of a receipt has after its #: the keys of all its secrets. */
export function addressOf(keys: readonly string[]): string {
  return keys.join(".");
}

/**
 * present goes to the receipt of what was made, which shows its links. No other
 * page can show end-to-end links: leaving asks a question until they are kept, and
 * until the rest is made.
 */
export function present(next: Made, question: (lost: boolean) => string): void {
  const replace = shown.peek() !== undefined;
  const kept = new Set(
    shown
      .peek()
      ?.links.map(keyOf)
      .filter((key) => !unkept.has(key)),
  );
  stopShowing();
  navigate(`/r#${addressOf(next.links.map(keyOf))}`, { replace });
  shown.value = next;
  for (const link of next.links) {
    if (link.kind === "end_to_end" && !kept.has(keyOf(link))) {
      unkept.add(keyOf(link));
    }
  }
  if (unkept.size > 0 || next.rest) {
    stopAsking = askBeforeLeaving(() => question(unkept.size > 0));
  }
  const stopListening = onLeave(stop);
  addEventListener("pagehide", stop);
  stopShowing = stop;
  function stop() {
    stopShowing = () => {};
    stopListening();
    removeEventListener("pagehide", stop);
    unkept.clear();
    stopAsking();
    stopAsking = () => {};
    shown.value = undefined;
  }
}

function keyOf({ metadata }: Created): string {
  return metadata.metadataKey;
}

/** keep lets the page be left without a question: the links of these receipts were copied, or open nothing any more. */
export function keep(keys: readonly string[]): void {
  for (const key of keys) {
    unkept.delete(key);
  }
  if (unkept.size === 0 && !shown.peek()?.rest) {
    stopAsking();
    stopAsking = () => {};
  }
}
