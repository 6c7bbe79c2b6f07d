/*
 * Cobblestone-256 of c2sp.org/chunked-encryption, as seal/chunked has it:
 *
 *   salt (24) | commitment (32) | chunks of 16,384 bytes and a tag of 16 each
 *
 * The last chunk is always shorter than the others.
 */
import { type Bytes, encoded, equal, joined, random } from "./bytes";
import { expand } from "./hkdf";

const saltSize = 24;
const headerSize = 56;
const chunkSize = 16_384;
const tagSize = 16;
const info = encoded("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0");

/** Fault is what is wrong with an encrypted message. */
export type Fault = "header" | "chunk" | "truncated";

/** ChunkedError says that an encrypted message does not open. */
export class ChunkedError extends Error {
  constructor(readonly fault: Fault) {
    super(`chunked: ${fault}`);
  }
}

/** Keys are those of one message. */
interface Keys {
  aead: CryptoKey;
  nonce: Bytes;
  commitment: Bytes;
}

/** sealedSize returns the length of what seal returns for a message of that length. */
export function sealedSize(length: number): number {
  return headerSize + length + tagSize * (Math.floor(length / chunkSize) + 1);
}

async function derive(key: Bytes, salt: Uint8Array, context: Uint8Array): Promise<Keys> {
  const material = await expand(key, joined([info, salt, context]), 76);
  return {
    aead: await crypto.subtle.importKey("raw", material.slice(0, 32), "AES-GCM", false, ["encrypt", "decrypt"]),
    nonce: material.slice(32, 44),
    commitment: material.slice(44),
  };
}

/** algorithm is AES-GCM under the nonce of chunk k. */
function algorithm({ nonce }: Keys, k: number): AesGcmParams {
  const iv = nonce.slice();
  const tail = new DataView(iv.buffer, 4);
  tail.setBigUint64(0, tail.getBigUint64(0) ^ BigInt(k));
  return { name: "AES-GCM", iv };
}

/** seal returns the message, encrypted under a key of 32 bytes and a context. */
export async function seal(key: Bytes, context: Uint8Array, message: Bytes, salt = random(saltSize)): Promise<Bytes> {
  const keys = await derive(key, salt, context);
  const parts: Uint8Array[] = [salt, keys.commitment];
  for (let k = 0; k * chunkSize <= message.length; k++) {
    const chunk = message.subarray(k * chunkSize, (k + 1) * chunkSize);
    parts.push(new Uint8Array(await crypto.subtle.encrypt(algorithm(keys, k), keys.aead, chunk)));
  }
  return joined(parts);
}

/** open returns the message of what seal returned. It throws ChunkedError, and then returns nothing of it. */
export async function open(key: Bytes, context: Uint8Array, sealed: Bytes): Promise<Bytes> {
  if (sealed.length < headerSize) {
    throw new ChunkedError("header");
  }
  const keys = await derive(key, sealed.subarray(0, saltSize), context);
  if (!equal(keys.commitment, sealed.subarray(saltSize, headerSize))) {
    throw new ChunkedError("header");
  }
  const chunks: Uint8Array[] = [];
  for (let at = headerSize; ; at += chunkSize + tagSize) {
    const chunk = sealed.subarray(at, at + chunkSize + tagSize);
    if (chunk.length < tagSize) {
      throw new ChunkedError("truncated");
    }
    try {
      chunks.push(new Uint8Array(await crypto.subtle.decrypt(algorithm(keys, chunks.length), keys.aead, chunk)));
    } catch {
      throw new ChunkedError("chunk");
    }
    if (chunk.length < chunkSize + tagSize) {
      return joined(chunks);
    }
  }
}
