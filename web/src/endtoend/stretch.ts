import { argon2idAsync } from "@noble/hashes/argon2.js";
import type { Bytes } from "./bytes";

/**
 * stretch is argon2id with the parameters of the format. It takes 19 MiB and a third
 * of a second or more, and calls alive at least ten times meanwhile.
 */
export async function stretch(passphrase: Bytes, salt: Bytes, alive?: () => void): Promise<Bytes> {
  let told = 0;
  const onProgress = (part: number) => {
    if (part >= told) {
      told = part + 0.1;
      alive?.();
    }
  };
  return new Uint8Array(await argon2idAsync(passphrase, salt, { t: 2, m: 19_456, p: 1, dkLen: 32, onProgress }));
}
