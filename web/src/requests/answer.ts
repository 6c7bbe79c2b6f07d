/*
 * The link of an answer, sealed to the requester's key and bound to request and answer:
 *
 *   length (4) | K (32) | name | zeros, 512 bytes in all
 */
import { type Bytes, encoded, joined, random } from "../endtoend/bytes";
import { isFileName } from "../endtoend/content";
import { lengthSize, pad, unpad } from "../endtoend/plain";
import type { Asked } from "./card";
import { openWith, sealTo } from "./hpke";
import type { CollectKeys } from "./keys";
import { loadKem } from "./load";

const plainSize = 512;
const secretSize = 32;
const sealedSize = 1120 + plainSize + 16;

/** nameMax is the largest length of an answer's name in bytes. */
export const nameMax = plainSize - lengthSize - secretSize;

/** AnswerFault: "name" for a name that no answer has, "altered" for a sealed link of another answer or request. */
export type AnswerFault = "name" | "altered";

export class AnswerError extends Error {
  constructor(readonly fault: AnswerFault) {
    super(`answer: ${fault}`);
  }
}

/** Answer is what the requester's device learns of an answer before it opens it. */
export interface Answer {
  /** The link secret K of the end-to-end secret that the answer is. */
  secret: Bytes;
  /** The name of the file, shortened to nameMax bytes, or empty. */
  name: string;
}

/** newNumber draws the number A of an answer. A repeat of the same answer has the same one. */
export function newNumber(): Bytes {
  return random(16);
}

/** sealAnswer seals the link secret of an answer with its name, which it shortens. It throws AnswerError. */
export async function sealAnswer(asked: Asked, number: Bytes, { secret, name }: Answer): Promise<Bytes> {
  if (!isFileName(name)) {
    throw new AnswerError("name");
  }
  const plain = pad(joined([secret, shortened(name)]), plainSize);
  return await sealTo(await loadKem(), asked.publicKey, info(asked, number), plain);
}

/** openAnswer opens what sealAnswer returned for the same request and number. It throws AnswerError. */
export async function openAnswer(keys: CollectKeys, asked: Asked, number: Bytes, sealed: Bytes): Promise<Answer> {
  const kem = await loadKem();
  try {
    if (sealed.length === sealedSize) {
      return read(await openWith(kem, keys.seed, info(asked, number), sealed));
    }
  } catch {
    // It is not this answer's.
  }
  throw new AnswerError("altered");
}

function read(plain: Bytes): Answer {
  const used = unpad(plain, plainSize);
  if (!used || used.length < secretSize) {
    throw new AnswerError("altered");
  }
  const name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(used.subarray(secretSize));
  if (!isFileName(name)) {
    throw new AnswerError("altered");
  }
  return { secret: used.slice(0, secretSize), name };
}

function info(asked: Asked, number: Bytes): Bytes {
  return joined([encoded("hush answer v1\0"), asked.secret, number]);
}

/** shortened returns as many characters of a name as nameMax bytes hold. */
function shortened(name: string): Bytes {
  const bytes = new Uint8Array(nameMax);
  const { written } = new TextEncoder().encodeInto(name, bytes);
  return bytes.slice(0, written);
}
