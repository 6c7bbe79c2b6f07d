/*
 * What the form that asks has, also while another tab or page is shown. It is in memory
 * only, as what is shared.
 */
import { computed, effect, signal } from "@preact/signals";
import { charCount, isBroken } from "../format";
import type { Problem } from "../forms/submit";
import { number } from "../i18n";
import { t, tn } from "../i18n/requests";
import { hold } from "../router";
import { whenSignedOut } from "../session";
import { choices, defaultTtl } from "../share/draft";
import { wholeIn } from "../share/lifetime";
import { answersMax, type Kind, noteMax, titleMax } from "./limits";

/** Accepted names the kinds of content that a request accepts. */
export type Accepted = Kind | "both";

/** Draft is the form's content. */
export interface Draft {
  title: string;
  note: string;
  accepted: Accepted;
  /** The chosen lifetime in seconds; 0 for the default. */
  ttl: number;
  /** The number of answers, as it is written. */
  answers: string;
  /** A verified domain of the account for the link; empty for the service's own host. */
  domain: string;
  showAddress: boolean;
  notify: boolean;
}

const empty: Draft = {
  title: "",
  note: "",
  accepted: "both",
  ttl: 0,
  answers: "1",
  domain: "",
  showAddress: false,
  notify: false,
};

/** drafted is the form's content. */
export const drafted = signal<Draft>(empty);

/** change replaces parts of it. */
export function change(part: Partial<Draft>): void {
  drafted.value = { ...drafted.peek(), ...part };
}

/** clear empties the form: it was sent, or its author signed out. */
export function clear(): void {
  drafted.value = empty;
}

const unsent = computed(() => (drafted.value.title + drafted.value.note).trim() !== "");

// What the effect returns ends what it began.
effect(() => (unsent.value ? hold() : undefined));
whenSignedOut(clear);

/** The longest lifetime of a request in seconds, whatever secrets may have. */
const longest = 30 * 86400;

/** lifetimes returns the lifetimes to choose from. */
export function lifetimes(): [string, string][] {
  return choices().filter(([seconds]) => Number(seconds) <= longest);
}

/** ttlOf returns the lifetime that a draft asks for, in seconds. */
export function ttlOf({ ttl }: Draft): number {
  return ttl || Math.min(defaultTtl(), longest);
}

/** answersOf returns how many answers a draft asks for, or NaN for what is no number that a request may have. */
export function answersOf({ answers }: Pick<Draft, "answers">): number {
  const count = wholeIn(answers);
  return count <= answersMax ? count : Number.NaN;
}

/** kindsOf returns the kinds of content that a draft accepts. */
export function kindsOf({ accepted }: Draft): Kind[] {
  return accepted === "both" ? ["text", "file"] : [accepted];
}

/**
 * titleOf and noteOf return what a card takes: without the characters that turn the
 * direction of text or do not show, and the title in one line.
 */
export function titleOf({ title }: Pick<Draft, "title">): string {
  return cleaned(title.replace(/\s+/g, " ")).trim();
}

export function noteOf({ note }: Pick<Draft, "note">): string {
  const lines = note.replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n").replace(/\t/g, "    ");
  return lines.split("\n").map(cleaned).join("\n").trimEnd();
}

function cleaned(line: string): string {
  return line.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "");
}

/** check returns why a draft cannot be sent, and nothing if it can. */
export function check(draft: Draft): Problem | undefined {
  const [title, note] = [titleOf(draft), noteOf(draft)];
  if (!title) {
    return { field: "title", text: t("ask.title.missing") };
  }
  return tooLong("title", title, titleMax) ?? tooLong("note", note, noteMax) ?? wrongCount(draft);
}

function wrongCount(draft: Draft): Problem | undefined {
  return Number.isNaN(answersOf(draft))
    ? { field: "answers", text: t("ask.answers.wrong", { most: number(answersMax) }) }
    : undefined;
}

function tooLong(field: "title" | "note", text: string, most: number): Problem | undefined {
  if (isBroken(text)) {
    return { field, text: t("problem.broken_text") };
  }
  const over = charCount(text) - most;
  return over > 0 ? { field, text: tn("ask.too_long", over) } : undefined;
}
