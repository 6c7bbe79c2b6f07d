/* Files that are sent in parts, as another client would send them. */
import { randomBytes } from "node:crypto";
import { derive, proofHash } from "../src/endtoend/keys";
import { fragment, newSecret } from "../src/endtoend/link";
import { sealPreview } from "../src/endtoend/preview";
import { sealParts, sizeOfParts } from "../src/endtoend/sealparts";
import { stretch } from "../src/endtoend/stretch";
import { base64, type Sealed } from "./sealed";
import { rpc } from "./service";

/** FileDraft has what a file is made from. */
export interface FileDraft {
  fileName: string;
  body: Uint8Array<ArrayBuffer>;
  passphrase?: string;
  note?: string;
  count?: number;
  /** The parts that are sent; all unless it is said, and then the upload is finished. */
  parts?: number;
}

/** SentFile is a file whose link exists. */
export interface SentFile extends Sealed {
  /** Sends the parts that are left, and finishes the upload. */
  finish: () => Promise<void>;
}

/** sendFile shares a file in parts. */
export async function sendFile(draft: FileDraft): Promise<SentFile> {
  const { fileName, body, passphrase = "", note = "", count = 0 } = draft;
  const secret = newSecret();
  const keys = await derive(secret, passphrase, stretch);
  const header = { kind: "file" as const, fileName, mediaType: "", size: body.length };
  const preview = passphrase ? "" : base64(await sealPreview(secret, { ...header, count, note }));
  const uploadToken = base64(randomBytes(32));
  const begun = await rpc<{ secret: { secretKey: string }; metadata: { metadataKey: string } }>(
    "FileService/BeginFile",
    {
      size: `${sizeOfParts(header)}`,
      linkProofHash: base64(await proofHash(keys.linkProof)),
      proofHash: base64(await proofHash(keys.proof)),
      hasPassphrase: passphrase !== "",
      preview,
      uploadToken,
    },
  );
  const secretKey = begun.secret.secretKey;
  const parts = sealParts(keys, header, [new Blob([body])]);
  let number = 0;
  const send = async (most: number) => {
    while (number < most) {
      const { done, value } = await parts.next();
      if (done) {
        return;
      }
      await rpc("FileService/PutPart", { secretKey, uploadToken, number, content: base64(value) });
      number += 1;
    }
  };
  const finish = async () => {
    await send(Number.POSITIVE_INFINITY);
    await rpc("FileService/FinishFile", { secretKey, uploadToken });
  };
  await (draft.parts === undefined ? finish() : send(draft.parts));
  const whole = fragment({ key: secretKey, secret });
  return {
    key: secretKey,
    receipt: begun.metadata.metadataKey,
    fragment: whole,
    canaries: [whole.slice(secretKey.length), base64(secret), base64(keys.content)],
    finish,
  };
}

/** patterned returns bytes that repeat nowhere near. */
export function patterned(length: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  let x = 0x9e3779b9 ^ length;
  for (let i = 0; i < words.length; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    words[i] = x;
  }
  return new Uint8Array(words.buffer).slice(0, length);
}
