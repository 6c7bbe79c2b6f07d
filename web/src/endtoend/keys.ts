/*
 * The keys that a device derives from the secret of a link and its passphrase, as
 * seal/endtoend does. The parameters belong to the version of the format: a server
 * cannot choose others.
 */
import { type Bytes, encoded, joined } from "./bytes";
import { expand, extract } from "./hkdf";

/** Stretch is argon2id with the format's parameters: a tag of 32 bytes. */
export type Stretch = (passphrase: Bytes, salt: Bytes) => Promise<Bytes>;

export interface Keys {
  /** Shows to a server that this device has the link. */
  linkProof: Bytes;
  /** Shows to a server that this device has the link and the passphrase. */
  proof: Bytes;
  /** Encrypts the content. */
  content: Bytes;
}

/** PassphraseError says that a passphrase is not text: half of a character is missing. */
export class PassphraseError extends Error {}

/** derive derives the keys. The empty passphrase means that there is none. */
export async function derive(secret: Bytes, passphrase: string, stretch: Stretch): Promise<Keys> {
  const base = await extract("hush e2e v1", secret);
  let stretched: Bytes = new Uint8Array(32);
  if (passphrase !== "") {
    const salt = await expand(base, "passphrase salt", 16);
    stretched = await stretch(composed(passphrase), salt);
  }
  const full = await extract("hush e2e v1 full", joined([secret, stretched]));
  return {
    linkProof: await expand(base, "link proof", 32),
    proof: await expand(full, "proof", 32),
    content: await expand(full, "content", 32),
  };
}

/** linkProof returns the proof of a link alone. */
export async function linkProof(secret: Bytes): Promise<Bytes> {
  return await expand(await extract("hush e2e v1", secret), "link proof", 32);
}

/** previewKey returns the key of the preview of a link, for which no passphrase is needed. */
export async function previewKey(secret: Bytes): Promise<Bytes> {
  return await expand(await extract("hush e2e v1", secret), "preview", 32);
}

/** proofHash returns what a server compares a proof with. */
export async function proofHash(proof: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", proof));
}

/** composed returns a passphrase in NFC and UTF-8. An encoder would replace half a character without a word. */
function composed(passphrase: string): Bytes {
  if (/\p{Cs}/u.test(passphrase)) {
    throw new PassphraseError("the passphrase is not valid text");
  }
  return encoded(passphrase.normalize("NFC"));
}
