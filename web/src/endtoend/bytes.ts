/** Bytes are those that WebCrypto takes: not of memory that another thread shares. */
export type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = new TextEncoder();

/** encoded returns text in UTF-8. */
export function encoded(text: string): Bytes {
  return utf8.encode(text);
}

/** joined returns all parts in a row. */
export function joined(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** equal reports whether two are the same, in a time that does not depend on where they differ. */
export function equal(one: Uint8Array, other: Uint8Array): boolean {
  let differences = one.length ^ other.length;
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    differences |= (one[i] ?? 0) ^ (other[i] ?? 0);
  }
  return differences === 0;
}

/** random returns bytes that cannot be guessed. */
export function random(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}
