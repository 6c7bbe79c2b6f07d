/*
 * Encrypts what is shared on this device. The page loads this module, and what it
 * imports, when something is shared.
 */
import { type Bytes, encoded } from "../endtoend/bytes";
import { type Content, sealContent } from "../endtoend/content";
import { derive, proofHash, type Stretch } from "../endtoend/keys";
import { fragment, newSecret, parse } from "../endtoend/link";
import { stretching } from "../endtoend/stretching";
import { endToEndLink } from "../link";
import type { Whole } from "./draft";

/** Sealed is a content as it is sent. */
export interface Sealed {
  content: Bytes;
  linkProofHash: Bytes;
  proofHash: Bytes;
  hasPassphrase: boolean;
}

/** Open is what a content is made of: a text, or a file in place of it. */
export type Open = Pick<Whole, "text" | "file" | "passphrase">;

/** Sealing is a content that is ready to be sent, and what builds its link on this device. */
export interface Sealing {
  sealed: Sealed;
  /** linkOf returns the link for the key that the server made, or an empty string for what is no key. */
  linkOf: (base: string, key: string) => string;
}

/** seal encrypts a draft under a secret that it draws. The secret is in the link only. */
export async function seal(draft: Whole, signal?: AbortSignal, stretch = stretching(signal)): Promise<Sealing> {
  const secret = newSecret();
  return {
    sealed: await sealUnder(secret, draft, stretch),
    linkOf: linkOf(secret, draft.domain),
  };
}

/** linkOf returns a function that returns the link of a secret for the key that the server made, or an empty string for what is no key. */
export function linkOf(secret: Bytes, domain: string): Sealing["linkOf"] {
  return (base, key) => {
    const text = fragment({ key, secret });
    return typeof parse(text) === "object" ? endToEndLink(base, text, domain) : "";
  };
}

/** sealUnder encrypts a content under the secret of its link, which must be for this content alone. */
export async function sealUnder(secret: Bytes, open: Open, stretch: Stretch): Promise<Sealed> {
  const keys = await derive(secret, open.passphrase, stretch);
  return {
    content: await sealContent(keys, contentOf(open)),
    linkProofHash: await proofHash(keys.linkProof),
    proofHash: await proofHash(keys.proof),
    hasPassphrase: open.passphrase !== "",
  };
}

function contentOf({ text, file }: Open): Content {
  return file
    ? { kind: "file", fileName: file.name, mediaType: file.type, body: file.body }
    : { kind: "text", fileName: "", mediaType: "", body: encoded(text) };
}
