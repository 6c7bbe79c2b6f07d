/*
 * Seals an answer. It is made once: a repeat sends the same bytes, and the server counts
 * it once. The link secret K of the content is in no part of it but the sealed link.
 */
import { type Bytes, encoded } from "../endtoend/bytes";
import { proofHash } from "../endtoend/keys";
import { newSecret } from "../endtoend/link";
import { stretching } from "../endtoend/stretching";
import { newNumber, sealAnswer } from "../requests/answer";
import type { Asked } from "../requests/card";
import { type Open, type Sealed, sealUnder } from "../share/seal";

/** Call is an answer as it is sent, all but the key and the proof of its link. */
export interface Call {
  /** The number A. */
  number: Bytes;
  sealedLink: Bytes;
  sealed: Sealed;
}

/** sealCall makes the call of an answer: another one each time. It throws Refusal. */
export async function sealCall(asked: Asked, open: Open, signal: AbortSignal): Promise<Call> {
  const secret = newSecret();
  const number = newNumber();
  const sealed = await sealUnder(secret, open, stretching(signal));
  const sealedLink = await sealAnswer(asked, number, { secret, name: open.file?.name ?? "" });
  return { number, sealedLink, sealed };
}

/*
 * A call that was not acknowledged outlives a reload of its tab. What is stored opens with
 * the requester's device alone, and names the request by a hash.
 */
const item = "hush.answer";

type Row = [
  of: string,
  number: string,
  link: string,
  content: string,
  linkHash: string,
  hash: string,
  guarded: boolean,
];

/** nameOf returns the name under which a call to the request with a proof is stored. */
export async function nameOf(proof: Bytes): Promise<string> {
  return base64(await proofHash(new Uint8Array([...encoded("hush answer kept\0"), ...proof])));
}

/** store stores a call, or removes what is stored. A call that the browser has no room for is not stored. */
export function store(name: string, call: Call | undefined): void {
  try {
    sessionStorage.removeItem(item);
    if (call) {
      const { number, sealedLink, sealed } = call;
      const { content, linkProofHash, proofHash, hasPassphrase } = sealed;
      const row = [number, sealedLink, content, linkProofHash, proofHash].map(base64);
      sessionStorage.setItem(item, JSON.stringify([name, ...row, hasPassphrase]));
    }
  } catch {
    // It is sent all the same.
  }
}

/** stored returns the call that is stored under a name, if any. */
export function stored(name: string): Call | undefined {
  try {
    const row = JSON.parse(sessionStorage.getItem(item) ?? "[]") as Row;
    if (row[0] !== name || row.length !== 7) {
      return undefined;
    }
    const [number, sealedLink, content, linkProofHash, proofHash] = row.slice(1, 6).map((part) => bytes(String(part)));
    return {
      number: number as Bytes,
      sealedLink: sealedLink as Bytes,
      sealed: {
        content: content as Bytes,
        linkProofHash: linkProofHash as Bytes,
        proofHash: proofHash as Bytes,
        hasPassphrase: row[6] === true,
      },
    };
  } catch {
    return undefined;
  }
}

function base64(all: Bytes): string {
  let text = "";
  for (let at = 0; at < all.length; at += 0x8000) {
    text += String.fromCharCode(...all.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

function bytes(text: string): Bytes {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
