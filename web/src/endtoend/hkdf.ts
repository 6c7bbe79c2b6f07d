/*
 * The two steps of HKDF, each on its own: WebCrypto has only both in one, and the
 * formats use them apart. They derive with SHA-512; HPKE has SHA-256 inside.
 */
import { type Bytes, encoded, joined } from "./bytes";

/** hmac returns a tag of the hash's length. The key must not be empty. */
export async function hmac(key: Bytes, message: Bytes, hash = "SHA-512"): Promise<Bytes> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/** extract returns a key of 64 bytes. */
export function extract(salt: string, material: Bytes): Promise<Bytes> {
  return hmac(encoded(salt), material);
}

/** expand derives size bytes from a key under a name. */
export async function expand(key: Bytes, info: Uint8Array | string, size: number, hash?: string): Promise<Bytes> {
  const name = typeof info === "string" ? encoded(info) : info;
  let block: Bytes = new Uint8Array();
  let all: Bytes = new Uint8Array();
  for (let n = 1; all.length < size; n++) {
    block = await hmac(key, joined([block, name, Uint8Array.of(n)]), hash);
    all = all.length === 0 ? block : joined([all, block]);
  }
  return all.slice(0, size);
}
