/** A key has 31 characters, 0-9 and a-z. Some programs write it in upper case. */
const key = /(?<![0-9A-Za-z])[0-9a-z]{31}(?![0-9A-Za-z])/;
const anyCaseKey = new RegExp(key, "i");

/** The key and the secret part of an end-to-end link are one run of 74 letters and digits. */
const endToEnd = /(?<![0-9A-Za-z])[0-9A-Za-z]{74}(?![0-9A-Za-z])/;

/**
 * keyIn returns the key in a mangled link, or an empty string if there is none.
 * Mail programs and chats add punctuation and parameters, break lines, and escape
 * characters.
 */
export function keyIn(text: string): string {
  return found(key, text) || found(anyCaseKey, text).toLowerCase();
}

/** endToEndIn returns the fragment of an end-to-end link in a mangled one, or an empty string if there is none. */
export function endToEndIn(text: string): string {
  return found(endToEnd, text);
}

/**
 * reportedKey returns the key in a mangled link of either kind, or an empty string if
 * there is none. The secret part of an end-to-end link stays on the device.
 */
export function reportedKey(text: string): string {
  return endToEndIn(text).slice(0, 31) || keyIn(text);
}

/**
 * mended returns the place of a link whose # a mail gateway has escaped, which made
 * the fragment part of the path, and an empty string for other paths.
 */
export function mended(path: string): string {
  const [, page, fragment = ""] = /^\/([escq])%(?:25)*23(.+)$/.exec(path) ?? [];
  const whole = endToEndIn(fragment);
  return whole ? `/${page === "s" ? "e" : page}#${whole}` : page ? `/${page}#${fragment}` : "";
}

/** found returns what matches in a text, or in the text without white space and characters that do not show. */
function found(pattern: RegExp, text: string): string {
  return (pattern.exec(unescaped(text)) ?? pattern.exec(joined(text)))?.[0] ?? "";
}

/** joined returns a text without escapes, white space and characters that do not show. */
export function joined(text: string): string {
  return unescaped(text).replace(/[\s\u00ad\u200b-\u200f\u2060\ufeff]/g, "");
}

/** unescaped undoes escapes, also escapes of escapes. */
export function unescaped(text: string): string {
  try {
    const once = decodeURIComponent(text);
    return once === text ? text : unescaped(once);
  } catch {
    return text;
  }
}

/** secretLink returns the link for the recipient. The server never sees its key. */
export function secretLink(base: string, secretKey: string, domain = ""): string {
  return `${origin(base, domain)}/s#${secretKey}`;
}

/** plainLink returns the link that opens without JavaScript. The key is in its path, which servers on the way see. */
export function plainLink(base: string, secretKey: string, domain = ""): string {
  return `${origin(base, domain)}/secret/${secretKey}`;
}

/** endToEndLink returns the link for the recipient of an end-to-end encrypted secret. The server never sees it. */
export function endToEndLink(base: string, fragment: string, domain = ""): string {
  return `${origin(base, domain)}/e#${fragment}`;
}

/** requestLink returns the link for those who answer a request. The server never sees its secret part. */
export function requestLink(base: string, fragment: string, domain = ""): string {
  return `${origin(base, domain)}/q#${fragment}`;
}

/**
 * collectLink returns the link that the requester keeps. The server never sees its secret
 * part: the link is on the host that the visitor is on, and on none that an answer names.
 */
export function collectLink(fragment: string): string {
  return `${location.origin}/c#${fragment}`;
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
