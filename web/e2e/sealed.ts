/* End-to-end encrypted secrets, shared as another client would. */
import { type Content, sealContent } from "../src/endtoend/content";
import { derive, proofHash } from "../src/endtoend/keys";
import { fragment, newSecret } from "../src/endtoend/link";
import { stretch } from "../src/endtoend/stretch";
import { rpc, type Waiting } from "./service";

/** Sealed is a waiting secret and what its link holds. */
export interface Sealed extends Waiting {
  /** The fragment of its link. */
  fragment: string;
  /** The secret part of its link, as it must not be in any request. */
  canaries: string[];
}

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/** text returns a text as content. */
export function text(body: string): Content {
  return { kind: "text", fileName: "", mediaType: "", body: new TextEncoder().encode(body) };
}

/** seal shares a content. */
export async function seal(content: Content, passphrase = ""): Promise<Sealed> {
  const secret = newSecret();
  const keys = await derive(secret, passphrase, stretch);
  const { secret: made, metadata } = await rpc<{
    secret: { secretKey: string };
    metadata: { metadataKey: string };
  }>("SecretService/ConcealSecret", {
    sealed: {
      content: base64(await sealContent(keys, content)),
      linkProofHash: base64(await proofHash(keys.linkProof)),
      proofHash: base64(await proofHash(keys.proof)),
      hasPassphrase: passphrase !== "",
    },
  });
  const key = made.secretKey;
  const whole = fragment({ key, secret });
  return {
    key,
    receipt: metadata.metadataKey,
    fragment: whole,
    canaries: [
      whole.slice(key.length),
      base64(secret),
      Buffer.from(secret).toString("hex"),
      base64(keys.content),
      Buffer.from(keys.content).toString("hex"),
    ],
  };
}
