/** The fragment of an end-to-end link: a secret key of 31 characters and a link secret of 43, in one run. */
import { type Bytes, random } from "./bytes";

const keySize = 31;
const secretSize = 32;
const secretDigits = 43;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** linkSize is the number of characters of a fragment. */
export const linkSize = keySize + secretDigits;

/** Link is what a fragment holds. */
export interface Link {
  /** The server knows it: it is all that is sent. */
  key: string;
  /** It stays on the device. */
  secret: Bytes;
}

/** newSecret draws the secret of a link. It is for one content. */
export function newSecret(): Bytes {
  return random(secretSize);
}

/** fragment returns what stands behind the # of a link. */
export function fragment({ key, secret }: Link): string {
  let number = secret.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  let digits = "";
  while (digits.length < secretDigits) {
    digits = alphabet.charAt(Number(number % 62n)) + digits;
    number /= 62n;
  }
  return key + digits;
}

/** parse returns the link of a fragment. It says "incomplete" for another length, and "wrong" for what no link has. */
export function parse(text: string): Link | "incomplete" | "wrong" {
  if (text.length !== linkSize) {
    return "incomplete";
  }
  const key = text.slice(0, keySize);
  let number = 0n;
  for (const digit of text.slice(keySize)) {
    const value = alphabet.indexOf(digit);
    if (value < 0) {
      return "wrong";
    }
    number = number * 62n + BigInt(value);
  }
  if (!/^[0-9a-z]+$/.test(key) || number >> 256n) {
    return "wrong";
  }
  const secret = Uint8Array.from({ length: secretSize }, (_, i) => Number((number >> BigInt(8 * (31 - i))) & 255n));
  return { key, secret };
}
