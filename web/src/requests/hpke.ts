/*
 * HPKE of RFC 9180 in its base mode, for a single message without additional data:
 * X-Wing, HKDF-SHA256, AES-256-GCM. Both lengths of a sealed message are fixed:
 *
 *   encapsulated (1,120) | encrypted message | tag (16)
 */
import { type Bytes, encoded, joined } from "../endtoend/bytes";
import { expand, hmac } from "../endtoend/hkdf";
import type { Kem } from "./kem";

/** suite has the numbers of KEM, KDF and AEAD. */
export const suite = Uint8Array.of(0x64, 0x7a, 0, 1, 0, 2);

const encapsulatedSize = 1120;
const keySize = 32;
const nonceSize = 12;
const nothing: Bytes = new Uint8Array();

/** Schedule is what encrypts the first message of a sender. */
export interface Schedule {
  key: Bytes;
  nonce: Bytes;
}

/** schedule derives the key and the nonce of a suite with HKDF-SHA256. */
export async function schedule(ids: Uint8Array, size: number, shared: Bytes, info: Bytes): Promise<Schedule> {
  const labeled = (label: string, input: Bytes) =>
    joined([encoded("HPKE-v1"), encoded("HPKE"), ids, encoded(label), input]);
  // Zeros are to HMAC what the empty key is, which WebCrypto does not take.
  const extracted = (label: string, input: Bytes, salt: Bytes = new Uint8Array(32)) =>
    hmac(salt, labeled(label, input), "SHA-256");
  const context = joined([
    Uint8Array.of(0),
    await extracted("psk_id_hash", nothing),
    await extracted("info_hash", info),
  ]);
  const secret = await extracted("secret", nothing, shared);
  const expanded = (label: string, length: number) =>
    expand(secret, joined([Uint8Array.of(0, length), labeled(label, context)]), length, "SHA-256");
  return { key: await expanded("key", size), nonce: await expanded("base_nonce", nonceSize) };
}

async function aead(shared: Bytes, info: Bytes) {
  const { key, nonce } = await schedule(suite, keySize, shared, info);
  return {
    algorithm: { name: "AES-GCM", iv: nonce },
    key: await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]),
  };
}

/** sealTo seals a message to a public key. It rejects if the key is none. */
export async function sealTo(kem: Kem, publicKey: Bytes, info: Bytes, message: Bytes): Promise<Bytes> {
  const { shared, encapsulated } = await kem.encapsulate(publicKey);
  const { algorithm, key } = await aead(shared, info);
  return joined([encapsulated, new Uint8Array(await crypto.subtle.encrypt(algorithm, key, message))]);
}

/** openWith opens what sealTo returned, with the private key. It rejects what does not open. */
export async function openWith(kem: Kem, seed: Bytes, info: Bytes, sealed: Bytes): Promise<Bytes> {
  const shared = await kem.decapsulate(seed, sealed.slice(0, encapsulatedSize));
  const { algorithm, key } = await aead(shared, info);
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed.subarray(encapsulatedSize)));
}
