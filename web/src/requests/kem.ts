import type { Bytes } from "../endtoend/bytes";

/**
 * Kem is X-Wing, which encapsulates a shared secret of 32 bytes for a public key. Its
 * private key is a seed of 32 bytes, a public one has 1,216, and what is encapsulated
 * has 1,120. Each rejects what is none of these.
 */
export interface Kem {
  publicKey(seed: Bytes): Promise<Bytes>;
  encapsulate(publicKey: Bytes): Promise<Encapsulated>;
  decapsulate(seed: Bytes, encapsulated: Bytes): Promise<Bytes>;
}

/** Encapsulated is a shared secret, and what the owner of the key gets it from. */
export interface Encapsulated {
  shared: Bytes;
  encapsulated: Bytes;
}
