/*
 * What the form has, also while another page is shown: a person who follows a link
 * and comes back finds it again. It is in memory only, so the browser asks before
 * the page is closed or loaded again.
 */
import { computed, effect, signal } from "@preact/signals";
import { hold, place } from "../router";
import { whenSignedOut } from "../session";
import { type ChosenFile, type Draft, empty } from "./draft";
import type { Kind } from "./kind";

/** Mode is the open tab: what is shared, and where it comes from, or that something is asked for. */
export type Mode = "text" | "file" | "generate" | "ask";

/** Aside is what the other tabs have. It is not shared, and stays when the open one is. */
export interface Aside {
  text: string;
  file?: ChosenFile | undefined;
  generate: string;
  /** Empty: what is asked for is kept elsewhere. */
  ask: string;
}

/** Kept is the state of the form. */
export interface Kept {
  /** What is shared: the text or the file of the open tab alone. */
  draft: Draft;
  mode: Mode;
  aside: Aside;
  /** The kind that the visitor chose. */
  chosen?: Kind | undefined;
  /** The kind that the form showed when something was typed: another one is never sent without a word. */
  stated?: Kind | undefined;
}

const nothing: Kept = { draft: empty, mode: "text", aside: { text: "", generate: "", ask: "" } };

/** kept is the state of the form. */
export const kept = signal<Kept>(nothing);

/** forget empties the form: its author signed out. */
export function forget(): void {
  kept.value = nothing;
}

/** change replaces parts of the state. */
export function change(part: Partial<Kept>): void {
  kept.value = { ...kept.peek(), ...part };
}

/** open opens a tab. What the one before had is put aside, and what this one had is back. */
export function open(mode: Mode): void {
  kept.value = opened(kept.peek(), mode);
}

/** opened returns the state with another tab open. */
export function opened(state: Kept, mode: Mode): Kept {
  const { draft, aside } = state;
  const all: Aside = state.mode === "file" ? { ...aside, file: draft.file } : { ...aside, [state.mode]: draft.text };
  return {
    ...state,
    mode,
    aside: all,
    draft: { ...draft, text: mode === "file" ? "" : all[mode], file: mode === "file" ? all.file : undefined },
  };
}

/** shared empties a tab that was shared, and the options. What the other tabs have stays, under the kind that the form stated. */
export function shared(mode: Mode): void {
  const state = kept.peek();
  const { aside } = opened(state, mode);
  const rest: Aside = mode === "file" ? { ...aside, file: undefined } : { ...aside, [mode]: "" };
  const next: Kept = { ...nothing, draft: { ...empty, text: rest.text }, aside: rest };
  kept.value = isUnsent(next) ? { ...next, chosen: state.chosen, stated: state.stated } : { ...nothing, aside: rest };
}

/** fileOf returns what is chosen in the tab for files, whichever is open. */
export function fileOf({ draft, mode, aside }: Kept): ChosenFile | undefined {
  return mode === "file" ? draft.file : aside.file;
}

/** putFile replaces what is chosen in the tab for files, whichever is open. */
export function putFile(file: ChosenFile | undefined): void {
  const { draft, mode, aside } = kept.peek();
  change(mode === "file" ? { draft: { ...draft, file } } : { aside: { ...aside, file } });
}

/** isUnsent reports whether a form has what its author would have to write or choose again. */
export function isUnsent(state: Kept): boolean {
  const text = state.mode === "text" ? state.draft.text : state.aside.text;
  return fileOf(state) !== undefined || text.trim() !== "";
}

/** heading is what the open tab has in place of the words of the page, once it is loaded. */
export const heading = signal<Heading | undefined>(undefined);

/** Heading has the words at the top of the page. */
export interface Heading {
  title: string;
  lead: string;
}

// The address says whether something is asked for.
effect(() => {
  const { path, hash } = place.value;
  const asks = hash === "#ask";
  if (path === "/" && asks !== (kept.peek().mode === "ask")) {
    open(asks ? "ask" : "text");
  }
});

const unsent = computed(() => isUnsent(kept.value));

// What the effect returns ends what it began.
effect(() => (unsent.value ? hold() : undefined));
whenSignedOut(forget);
