/* Divides a draft for several recipients into one secret for each. */
import type { Draft } from "./draft";

/** How many recipients a draft may have. */
export const mostRecipients = 10;

/** Part is what differs between the secrets that a draft is shared as. */
export interface Part {
  /** Whom it is for; empty if the draft names no recipient. */
  name: string;
  /** Whom the server mails the link to. */
  recipients: string[];
  /** The label of its receipt. */
  memo: string;
}

/** recipientsIn returns the addresses in a text that the server mails to, or the names in one. */
export function recipientsIn(text: string, mailed: boolean): string[] {
  const all = text
    .split(mailed ? /[\s,;]+/ : /[,;\n]+/)
    .map((one) => one.trim())
    .filter(Boolean);
  return [...new Set(all)];
}

/** partsOf returns the parts of a draft: one for each recipient, or one if it names none. */
export function partsOf({ recipients, memo }: Pick<Draft, "recipients" | "memo">, mailed: boolean): Part[] {
  const parts = recipientsIn(recipients, mailed).map((name) =>
    mailed
      ? { name, recipients: [name], memo }
      : { name, recipients: [], memo: [memo.trim(), name].filter(Boolean).join(" · ") },
  );
  return parts.length > 0 ? parts : [{ name: "", recipients: [], memo }];
}

/** newGroup returns what the secrets of a draft have in common: nothing if there is only one. */
export function newGroup(parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  return parts.length > 1 ? crypto.getRandomValues(new Uint8Array(16)) : new Uint8Array();
}

/** Outcome is what came of several parts: those that were made, and those that were not since the first refusal. */
export interface Outcome<P, M> {
  made: M[];
  left: readonly P[];
  /** What was thrown for the first of those that are left. */
  thrown?: unknown;
}

/** each makes one part after another, and stops at the first that is refused. */
export async function each<P, M>(parts: readonly P[], make: (part: P) => Promise<M>): Promise<Outcome<P, M>> {
  const made: M[] = [];
  for (const [i, part] of parts.entries()) {
    try {
      made.push(await make(part));
    } catch (thrown) {
      return { made, left: parts.slice(i), thrown };
    }
  }
  return { made, left: [] };
}
