/* X-Wing of a library, for browsers without one. It is large: load.ts alone imports it, when it is needed. */
import { ml_kem768_x25519 as xwing } from "@noble/post-quantum/hybrid.js";
import type { Kem } from "./kem";

export const library: Kem = {
  async publicKey(seed) {
    return new Uint8Array(xwing.keygen(seed).publicKey);
  },
  async encapsulate(publicKey) {
    const { sharedSecret, cipherText } = xwing.encapsulate(publicKey);
    return { shared: new Uint8Array(sharedSecret), encapsulated: new Uint8Array(cipherText) };
  },
  async decapsulate(seed, encapsulated) {
    return new Uint8Array(xwing.decapsulate(encapsulated, seed));
  },
};
