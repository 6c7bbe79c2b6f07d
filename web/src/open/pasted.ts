/* What a person pasted in place of a link, or followed. */
import { type Link, parse } from "../endtoend/link";
import { endToEndIn, keyIn, unescaped } from "../link";

/** Found is what a fragment holds in place of a link with a secret part, or that link. */
export type Found = Link | "empty" | "long" | "incomplete" | "wrong";

/** linkIn reads a fragment, without asking the server. */
export function linkIn(hash: string): Found {
  const whole = endToEndIn(hash);
  if (whole) {
    return parse(whole);
  }
  return isTooLong(hash) ? "long" : /[0-9a-z]/i.test(hash) ? "incomplete" : "empty";
}

/** isTooLong reports whether a text has a run of letters and digits that is longer than a link's. */
export function isTooLong(text: string): boolean {
  return /[0-9A-Za-z]{75}/.test(unescaped(text));
}

/** hostIn returns the host of the address that the link in a text is part of, or an empty string if it names none. */
export function hostIn(text: string): string {
  const plain = unescaped(text);
  const run = endToEndIn(text) || keyIn(text);
  const at = plain.toLowerCase().indexOf(run.toLowerCase());
  const before = at < 0 ? plain : plain.slice(0, at);
  const [address] = before.match(/https?:\/\/(?:(?!https?:\/\/)[^\s<>"])*/gi)?.slice(-1) ?? [];
  const bare = /(?:^|[\s<>"'(])((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]+(?::\d+)?[/#]\S*)$/u.exec(before)?.[1];
  return hostOf(address ?? (bare ? `https://${bare}` : ""));
}

/** hostOf returns the host of an address, or an empty string for what is none. */
export function hostOf(address: string): string {
  try {
    return new URL(address).hostname;
  } catch {
    return "";
  }
}
