/*
 * What the form has, also while another page is shown: a person who follows a link
 * and comes back finds it again. It is in memory only, so the browser asks before
 * the page is closed or loaded again.
 */
import { computed, effect, signal } from "@preact/signals";
import { hold } from "../router";
import { whenSignedOut } from "../session";
import { type Draft, empty } from "./draft";
import type { Kind } from "./kind";

/** Mode is where the text comes from. */
export type Mode = "text" | "generate";

/** Kept is the state of the form. */
export interface Kept {
  draft: Draft;
  mode: Mode;
  /** The kind that the visitor chose. */
  chosen?: Kind | undefined;
  /** The kind that the form showed when something was typed: another one is never sent without a word. */
  stated?: Kind | undefined;
}

const nothing: Kept = { draft: empty, mode: "text" };

/** kept is the state of the form. */
export const kept = signal<Kept>(nothing);

/** forget empties the form: what it had was shared, or its author signed out. */
export function forget(): void {
  kept.value = nothing;
}

/** change replaces parts of the state. */
export function change(part: Partial<Kept>): void {
  kept.value = { ...kept.peek(), ...part };
}

/** isUnsent reports whether a form has what its author would have to write or choose again. */
export function isUnsent({ draft, mode }: Kept): boolean {
  return draft.file !== undefined || (mode === "text" && draft.text.trim() !== "");
}

const unsent = computed(() => isUnsent(kept.value));

// What the effect returns ends what it began.
effect(() => (unsent.value ? hold() : undefined));
whenSignedOut(forget);
