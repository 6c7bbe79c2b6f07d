/** Keys are 31 characters 0-9 and a-z. */
const key = /(?<![0-9a-z])[0-9a-z]{31}(?![0-9a-z])/;

/**
 * keyIn finds the key in what is left of a link: mail programs and chats add
 * punctuation and parameters, break lines, and escape what needs none. It
 * answers an empty text if there is none.
 */
export function keyIn(text: string): string {
  const plain = unescaped(text).replace(/[\s\u00ad\u200b-\u200f\u2060\ufeff]/g, "");
  return key.exec(plain)?.[0] ?? key.exec(plain.toLowerCase())?.[0] ?? "";
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** secretLink is what the recipient gets: its key never reaches a server. */
export function secretLink(base: string, secretKey: string, domain = ""): string {
  return `${origin(base, domain)}/s#${secretKey}`;
}

/** receiptLink is what the sender keeps. */
export function receiptLink(base: string, metadataKey: string): string {
  return `${origin(base, "")}/r#${metadataKey}`;
}

function origin(base: string, domain: string): string {
  const own = base.replace(/\/+$/, "") || location.origin;
  return domain ? `${new URL(own).protocol}//${domain}` : own;
}

/** homeElsewhere is the service's own address for a page on another host; empty for a page that is there. */
export function homeElsewhere(base: string, hostname: string): string {
  return base && new URL(base).hostname !== hostname ? base.replace(/\/+$/, "") : "";
}
