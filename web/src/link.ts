/** A key has 31 characters, 0-9 and a-z. */
const key = /(?<![0-9a-z])[0-9a-z]{31}(?![0-9a-z])/;

/**
 * keyIn returns the key in a mangled link, or an empty string if there is none.
 * Mail programs and chats add punctuation and parameters, break lines, and escape
 * characters.
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

/** secretLink returns the link for the recipient. The server never sees its key. */
export function secretLink(base: string, secretKey: string, domain = ""): string {
  return `${origin(base, domain)}/s#${secretKey}`;
}

/** receiptLink returns the link that the sender keeps. */
export function receiptLink(base: string, metadataKey: string): string {
  return `${origin(base, "")}/r#${metadataKey}`;
}

function origin(base: string, domain: string): string {
  const own = base.replace(/\/+$/, "") || location.origin;
  return domain ? `${new URL(own).protocol}//${domain}` : own;
}

/** homeElsewhere returns the service's own address if the page is on another host, and an empty string if not. */
export function homeElsewhere(base: string, hostname: string): string {
  return base && new URL(base).hostname !== hostname ? base.replace(/\/+$/, "") : "";
}
