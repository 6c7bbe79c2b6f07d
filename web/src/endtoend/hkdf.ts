/*
 * The two steps of HKDF with SHA-512, each on its own: WebCrypto has only both in
 * one, and the format uses them apart.
 */
import { type Bytes, encoded, joined } from "./bytes";

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  const hash = { name: "HMAC", hash: "SHA-512" };
  const imported = await crypto.subtle.importKey("raw", key, hash, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

/** extract returns a key of 64 bytes. */
export function extract(salt: string, material: Bytes): Promise<Bytes> {
  return hmac(encoded(salt), material);
}

/** expand derives size bytes from a key under a name. */
export async function expand(key: Bytes, info: Uint8Array | string, size: number): Promise<Bytes> {
  const name = typeof info === "string" ? encoded(info) : info;
  let block: Bytes = new Uint8Array();
  let all: Bytes = new Uint8Array();
  for (let n = 1; all.length < size; n++) {
    block = await hmac(key, joined([block, name, Uint8Array.of(n)]));
    all = all.length === 0 ? block : joined([all, block]);
  }
  return all.slice(0, size);
}
