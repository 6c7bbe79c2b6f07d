/*
 * What this page shared a moment ago. Its link is in memory only, and only until
 * the receipt that shows it is left.
 */
import { computed, signal } from "@preact/signals";
import { askBeforeLeaving, navigate, onLeave } from "../router";
import type { Created } from "./draft";

const shown = signal<Created | undefined>(undefined);
let stopAsking = () => {};

/** made is what was shared last, while its receipt is shown. */
export const made = computed(() => shown.value);

/**
 * present goes to the receipt of what was created, which shows its link. No other
 * page can show an end-to-end link: leaving asks the question until it is kept.
 */
export function present(created: Created, question: () => string): void {
  navigate(`/r#${created.metadata.metadataKey}`);
  shown.value = created;
  stopAsking = created.kind === "end_to_end" ? askBeforeLeaving(question) : () => {};
  const stopListening = onLeave(drop);
  addEventListener("pagehide", drop);
  function drop() {
    stopListening();
    removeEventListener("pagehide", drop);
    keep();
    shown.value = undefined;
  }
}

/** keep lets the page be left without a question: the link was copied, or no longer opens anything. */
export function keep(): void {
  stopAsking();
  stopAsking = () => {};
}
