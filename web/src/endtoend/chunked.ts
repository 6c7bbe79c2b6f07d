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
const tagSize = 16;
const info = encoded("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0");

/** headSize is the number of bytes before the chunks. */
export const headSize = 56;

/** chunkSize is the number of bytes of a message in each chunk but the last. */
export const chunkSize = 16_384;

/** sealedChunkSize is the number of bytes of each encrypted chunk but the last. */
export const sealedChunkSize = chunkSize + tagSize;

/** Fault is what is wrong with an encrypted message. */
export type Fault = "header" | "chunk" | "truncated";

/** ChunkedError says that an encrypted message does not open. */
export class ChunkedError extends Error {
  constructor(readonly fault: Fault) {
    super(`chunked: ${fault}`);
  }
}

/** Message is what encrypts and decrypts the chunks of one message. */
export interface Message {
  /** Its first bytes: salt and commitment. */
  head: Bytes;
  aead: CryptoKey;
  nonce: Bytes;
}

/** sealedSize returns the length of what seal returns for a message of that length. */
export function sealedSize(length: number): number {
  return headSize + length + tagSize * (Math.floor(length / chunkSize) + 1);
}

/** begin derives what encrypts a new message under a key of 32 bytes and a context. Each message has a salt of its own. */
export async function begin(key: Bytes, context: Uint8Array, salt = random(saltSize)): Promise<Message> {
  const material = await expand(key, joined([info, salt, context]), 76);
  return {
    head: joined([salt, material.subarray(44)]),
    aead: await crypto.subtle.importKey("raw", material.slice(0, 32), "AES-GCM", false, ["encrypt", "decrypt"]),
    nonce: material.slice(32, 44),
  };
}

/** enter derives what decrypts the message that begins with these bytes. It throws ChunkedError. */
export async function enter(key: Bytes, context: Uint8Array, head: Bytes): Promise<Message> {
  if (head.length !== headSize) {
    throw new ChunkedError("header");
  }
  const message = await begin(key, context, head.slice(0, saltSize));
  if (!equal(message.head, head)) {
    throw new ChunkedError("header");
  }
  return message;
}

/** algorithm is AES-GCM under the nonce of chunk k. */
function algorithm({ nonce }: Message, k: number): AesGcmParams {
  const iv = nonce.slice();
  const tail = new DataView(iv.buffer, 4);
  tail.setBigUint64(0, tail.getBigUint64(0) ^ BigInt(k));
  return { name: "AES-GCM", iv };
}

/** sealChunk encrypts chunk k. No chunk may be encrypted twice: other bytes under one nonce would give the key away. */
export async function sealChunk(message: Message, k: number, chunk: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.encrypt(algorithm(message, k), message.aead, chunk));
}

/** openChunk decrypts chunk k. It throws ChunkedError. */
export async function openChunk(message: Message, k: number, sealed: Bytes): Promise<Bytes> {
  if (sealed.length < tagSize) {
    throw new ChunkedError("truncated");
  }
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm(message, k), message.aead, sealed));
  } catch {
    throw new ChunkedError("chunk");
  }
}

/** seal returns the message, encrypted under a key of 32 bytes and a context. */
export async function seal(key: Bytes, context: Uint8Array, plain: Bytes, salt?: Bytes): Promise<Bytes> {
  const message = await begin(key, context, salt);
  const parts: Uint8Array[] = [message.head];
  for (let k = 0; k * chunkSize <= plain.length; k++) {
    parts.push(await sealChunk(message, k, plain.subarray(k * chunkSize, (k + 1) * chunkSize)));
  }
  return joined(parts);
}

/** open returns the message of what seal returned. It throws ChunkedError, and then returns nothing of it. */
export async function open(key: Bytes, context: Uint8Array, sealed: Bytes): Promise<Bytes> {
  const message = await enter(key, context, sealed.subarray(0, headSize));
  const chunks: Uint8Array[] = [];
  for (let at = headSize; ; at += sealedChunkSize) {
    const chunk = sealed.subarray(at, at + sealedChunkSize);
    chunks.push(await openChunk(message, chunks.length, chunk));
    if (chunk.length < sealedChunkSize) {
      return joined(chunks);
    }
  }
}
