/*
 * Shares a large file: its link is there at once, and its parts are sent from then on.
 * The page loads this module when a file is too large for one message.
 */
import { needed } from "../call";
import { type Bytes, random } from "../endtoend/bytes";
import type { Header } from "../endtoend/header";
import { derive, type Keys, proofHash, type Stretch } from "../endtoend/keys";
import { newSecret } from "../endtoend/link";
import { sealPreview } from "../endtoend/preview";
import { partSize, sealParts, sizeOfParts } from "../endtoend/sealparts";
import { stretching } from "../endtoend/stretching";
import { pauseFor } from "../follow";
import type { BeginFileRequest, BeginFileResponse } from "../gen/hush/v1/file_service_pb";
import type { SharedFile, Whole } from "../share/draft";
import { linkOf } from "../share/seal";
import { CanceledError, canceled, watch } from "../share/upload";
import files from "../wire/files";
import { callsOf, cancelAtEnd, type Key } from "./calls";
import { track } from "./running";
import { begin } from "./upload";

/** Terms are what the service is asked for besides, as in BeginFileRequest. */
export interface Terms {
  ttl: { seconds: bigint; nanos: number };
  shareDomain: string;
  memo: string;
  group: Bytes;
  authenticityPayload: string;
}

/** Begun is a file whose link exists, and nothing else of it yet. */
export interface Begun {
  answer: BeginFileResponse;
  /** Whether the service cuts the content as this page does. */
  fits: boolean;
  /** linkOf returns the link for the key that the server made, or an empty string for what is no key. */
  linkOf: (base: string, key: string) => string;
  /** send begins to send the parts. */
  send: () => void;
  /** cancel gives the file up, before its parts are sent. */
  cancel: () => void;
}

/** beginFile conceals a draft whose file is large. It throws what calls throw, and CanceledError. */
export async function beginFile(
  draft: Whole,
  large: Blob,
  terms: Terms,
  signal: AbortSignal,
  onSending: () => void,
): Promise<Begun> {
  await needed(() => import("./progress")); // it must not be missing once the file is on its way
  const sealed = await sealBeginning(draft, large, stretching(signal)).catch(canceled(signal));
  if (signal.aborted) {
    throw new CanceledError("nothing was sent");
  }
  onSending();
  const { header, keys, secret, request } = sealed;
  const call = watch(signal, undefined);
  const answer = await files
    .beginFile({ ...request, ...terms }, call.options)
    .catch(call.failed)
    .finally(call.end);
  const key: Key = { secretKey: answer.secret?.secretKey ?? "", uploadToken: request.uploadToken };
  const calls = callsOf({ ...key, proofHash: request.proofHash });
  return {
    answer,
    fits: isFor(answer, request.size),
    linkOf: linkOf(secret, draft.domain),
    send: () => {
      const source = {
        name: header.fileName,
        size: Number(request.size),
        parts: () => sealParts(keys, header, [large]),
      };
      const upload = begin(source, calls, { now: () => performance.now(), wait: (ms, end) => pauseFor(ms, end, true) });
      track(answer.metadata?.metadataKey ?? "", upload, () => cancelAtEnd(key));
    },
    cancel: () => void calls.cancel().catch(() => undefined),
  };
}

/** isFor reports whether the service has begun a file of that size, and cuts it as this page does. */
function isFor({ file }: BeginFileResponse, size: bigint): boolean {
  return file?.size === size && file.partSize === partSize && file.parts === Math.ceil(Number(size) / partSize);
}

/** Beginning is what the device has drawn and derived for a file, and what it asks the service for. */
interface Beginning {
  secret: Bytes;
  keys: Keys;
  header: Header;
  request: Pick<BeginFileRequest, "size" | "hasPassphrase"> &
    Record<"linkProofHash" | "proofHash" | "preview" | "uploadToken", Bytes>;
}

/** sealBeginning encrypts what stands in the request, under a secret that it draws. */
export async function sealBeginning(draft: Whole, large: Blob, stretch: Stretch): Promise<Beginning> {
  const secret = newSecret();
  const keys = await derive(secret, draft.passphrase, stretch);
  const header = headerOf(draft.file, large);
  const hasPassphrase = draft.passphrase !== "";
  const request = {
    size: BigInt(sizeOfParts(header)),
    linkProofHash: await proofHash(keys.linkProof),
    proofHash: await proofHash(keys.proof),
    hasPassphrase,
    preview: hasPassphrase ? new Uint8Array() : await previewOf(secret, header, draft),
    uploadToken: random(32),
  };
  return { secret, keys, header, request };
}

function headerOf(file: SharedFile | undefined, { size }: Blob): Header {
  return { kind: "file", fileName: file?.name ?? "", mediaType: file?.type ?? "", size };
}

function previewOf(secret: Bytes, { kind, fileName, size }: Header, { file, note }: Whole): Promise<Bytes> {
  return sealPreview(secret, { kind, fileName, size, count: file?.count ?? 0, note: cleanNote(note ?? "") });
}

/** cleanNote returns a note without the characters that the format refuses: they do not show, or could deceive. */
export function cleanNote(note: string): string {
  return note
    .replace(/\r\n?/g, "\n")
    .replace(/\t/g, " ")
    .replace(/(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "")
    .trim();
}
