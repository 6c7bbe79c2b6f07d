/* Where a pasted link leads to. */
import { endToEndIn, joined, keyIn, unescaped } from "../link";

/** Whole is the page of a link that has a secret part: of a secret, or one of the two of a request. */
export type Whole = "e" | "q" | "c";

/** isRequest reports whether a mangled link is one of a request. */
export function isRequest(text: string): boolean {
  return /\/[qc]\s*#/.test(unescaped(text));
}

/**
 * placeOf returns the place of the page that opens the link in a text, or an empty
 * string if there is none. One with a secret part that was cut short is none. A whole
 * fragment without its path is of the given page.
 */
export function placeOf(text: string, page: Whole = "e"): string {
  const whole = endToEndIn(text);
  const short = keyIn(text);
  if (whole) {
    const [, named = page] = new RegExp(`/([eqc])#${whole}`).exec(joined(text)) ?? [];
    return `/${named}#${whole}`;
  }
  return short && !/\/[eqc]#/.test(unescaped(text)) ? `/s#${short}` : "";
}
