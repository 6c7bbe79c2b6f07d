/*
 * What the recipient of a file sees before opening it, as seal/endtoend writes it:
 *
 *   length of the preview (4 bytes, big-endian) | preview | zeros
 *
 * It opens with the link alone, before a passphrase is known.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Preview as Message, PreviewSchema } from "../gen/hush/v1/file_pb";
import { type Bytes, encoded } from "./bytes";
import { ChunkedError, open, seal, sealedSize } from "./chunked";
import { ContentError, type Header, isClean, isHeader, kindOf, kindTo, padded } from "./header";
import { previewKey } from "./keys";
import { lengthSize, pad, unpad } from "./plain";

/** noteMax is the maximum number of characters of a note. */
export const noteMax = 500;

const previewMax = 3964;
const context = encoded("hush.v1 preview");

/** Preview describes a file to who has its link. Its sender wrote it: what is opened is as its header says. */
export interface Preview extends Omit<Header, "mediaType"> {
  /** How many files an archive packs; 0 for a file that is no archive. */
  count: number;
  /** The sender's note, in lines. It is shown as quoted plain text, and never as links. */
  note: string;
}

/** isNote reports whether a note is safe to show line by line, and not too long. The empty one is. */
export function isNote(note: string): boolean {
  return [...note].length <= noteMax && note.split("\n").every((line) => isClean(line, noteMax));
}

/** sealPreview encrypts a preview under the secret of a link. It throws ContentError for one that no device writes. */
export async function sealPreview(secret: Bytes, preview: Preview): Promise<Bytes> {
  const { kind, fileName, size, count, note } = preview;
  if (!isPreview(preview)) {
    throw new ContentError("header");
  }
  const message = create(PreviewSchema, { kind: kindTo(kind), fileName, size: BigInt(size), count, note });
  const bytes = toBinary(PreviewSchema, message);
  return await seal(await previewKey(secret), context, pad(bytes, padded(lengthSize + bytes.length)));
}

/** openPreview decrypts and checks a preview with the secret of its link. It throws ContentError, and then shows nothing. */
export async function openPreview(secret: Bytes, sealed: Bytes): Promise<Preview> {
  const plain = await opened(secret, sealed);
  const bytes = unpad(plain, previewMax);
  if (!bytes || padded(lengthSize + bytes.length) !== plain.length) {
    throw new ContentError("size");
  }
  const { kind, fileName, size, count, note } = parse(bytes);
  const preview = { kind: kindOf(kind), fileName, size: Number(size), count, note };
  if (!isPreview(preview)) {
    throw new ContentError("header");
  }
  return preview;
}

async function opened(secret: Bytes, sealed: Bytes): Promise<Bytes> {
  if (sealed.length > sealedSize(padded(lengthSize + previewMax))) {
    throw new ContentError("size");
  }
  try {
    return await open(await previewKey(secret), context, sealed);
  } catch (error) {
    throw error instanceof ChunkedError ? new ContentError("altered") : error;
  }
}

function parse(bytes: Uint8Array): Message {
  try {
    return fromBinary(PreviewSchema, bytes);
  } catch {
    throw new ContentError("header");
  }
}

function isPreview({ fileName, size, count, note }: Preview): boolean {
  return isHeader({ fileName, mediaType: "", size }) && count === count >>> 0 && isNote(note);
}
