/* Which key the first script asks for. It reads addresses more strictly than link.ts, which mends what it can. */

/** The largest secret part of an end-to-end link: 2^256 - 1. The digits of links sort as their characters do. */
const largest = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1";

/** Address is where the page is. Browsers decrypt in secure contexts only. */
export interface Address {
  pathname: string;
  hash: string;
  secure: boolean;
}

/**
 * keyOf returns the key that an address leads to, or undefined for one that the
 * application does not ask about, or has to mend first. Of an end-to-end link it
 * returns the 31 characters of the key and nothing of the secret.
 */
export function keyOf({ pathname, hash, secure }: Address): string | undefined {
  if (pathname === "/e") {
    const [, key, secret = ""] = /^#([0-9a-z]{31})([0-9A-Za-z]{43})$/.exec(hash) ?? [];
    return secure && secret <= largest ? key : undefined;
  }
  return /^\/(?:s#|secret\/)([0-9a-z]{31})$/.exec(pathname === "/s" ? pathname + hash : pathname)?.[1];
}
