/*
 * Encrypts what is shared on this device. The page loads this module, and what it
 * imports, when something is shared.
 */
import { encoded } from "../endtoend/bytes";
import { type Content, sealContent } from "../endtoend/content";
import { derive, proofHash } from "../endtoend/keys";
import { fragment, newSecret, parse } from "../endtoend/link";
import { stretching } from "../endtoend/stretching";
import { endToEndLink } from "../link";
import type { Whole } from "./draft";

/** Sealing is a content that is ready to be sent, and what builds its link on this device. */
export interface Sealing {
  sealed: {
    content: Uint8Array<ArrayBuffer>;
    linkProofHash: Uint8Array<ArrayBuffer>;
    proofHash: Uint8Array<ArrayBuffer>;
    hasPassphrase: boolean;
  };
  /** linkOf returns the link for the key that the server made, or an empty string for what is no key. */
  linkOf: (base: string, key: string) => string;
}

/** seal encrypts a draft under a secret that it draws. The secret is in the link only. */
export async function seal(draft: Whole, signal?: AbortSignal, stretch = stretching(signal)): Promise<Sealing> {
  const secret = newSecret();
  const keys = await derive(secret, draft.passphrase, stretch);
  return {
    sealed: {
      content: await sealContent(keys, contentOf(draft)),
      linkProofHash: await proofHash(keys.linkProof),
      proofHash: await proofHash(keys.proof),
      hasPassphrase: draft.passphrase !== "",
    },
    linkOf: (base, key) => {
      const text = fragment({ key, secret });
      return typeof parse(text) === "object" ? endToEndLink(base, text, draft.domain) : "";
    },
  };
}

function contentOf({ text, file }: Whole): Content {
  return file
    ? { kind: "file", fileName: file.name, mediaType: file.type, body: file.body }
    : { kind: "text", fileName: "", mediaType: "", body: encoded(text) };
}
