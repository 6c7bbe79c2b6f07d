/* X-Wing of WebCrypto, where the browser has it. */
import type { Bytes } from "../endtoend/bytes";
import type { Kem } from "./kem";

const name = "MLKEM768-X25519";

/** Subtle is what TypeScript does not know yet of SubtleCrypto. */
interface Subtle {
  importKey(format: string, key: Bytes, name: string, extractable: boolean, usages: string[]): Promise<CryptoKey>;
  exportKey(format: string, key: CryptoKey): Promise<ArrayBuffer>;
  getPublicKey(key: CryptoKey, usages: string[]): Promise<CryptoKey>;
  encapsulateBits(name: string, key: CryptoKey): Promise<{ sharedKey: ArrayBuffer; ciphertext: ArrayBuffer }>;
  decapsulateBits(name: string, key: CryptoKey, encapsulated: Bytes): Promise<ArrayBuffer>;
}

const subtle = () => crypto.subtle as unknown as Subtle;

/** hasNative reports whether the browser has all that native calls. */
export function hasNative(): boolean {
  const known = globalThis.SubtleCrypto as { supports?: (operation: string, name: string) => boolean } | undefined;
  return ["importKey", "getPublicKey", "encapsulateBits", "decapsulateBits"].every((operation) =>
    known?.supports?.(operation, name),
  );
}

function privateKey(seed: Bytes): Promise<CryptoKey> {
  return subtle().importKey("raw-seed", seed, name, false, ["decapsulateBits"]);
}

export const native: Kem = {
  async publicKey(seed) {
    const key = await subtle().getPublicKey(await privateKey(seed), ["encapsulateBits"]);
    return new Uint8Array(await subtle().exportKey("raw-public", key));
  },
  async encapsulate(publicKey) {
    const key = await subtle().importKey("raw-public", publicKey, name, false, ["encapsulateBits"]);
    const { sharedKey, ciphertext } = await subtle().encapsulateBits(name, key);
    return { shared: new Uint8Array(sharedKey), encapsulated: new Uint8Array(ciphertext) };
  },
  async decapsulate(seed, encapsulated) {
    return new Uint8Array(await subtle().decapsulateBits(name, await privateKey(seed), encapsulated));
  },
};
