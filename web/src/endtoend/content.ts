/*
 * The content of an end-to-end encrypted secret, as seal/endtoend writes it:
 *
 *   length of the header (4 bytes, big-endian) | header | body | zeros
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ContentHeader, ContentHeader_Kind, ContentHeaderSchema } from "../gen/hush/v1/content_pb";
import { type Bytes, encoded, joined } from "./bytes";
import { ChunkedError, open, seal } from "./chunked";
import type { Keys } from "./keys";

const lengthSize = 4;
const headerMax = 2044;
const contentMin = 256;
const context = encoded("hush.v1 content");

/** ContentFault is why a content is refused although its keys may fit. */
export type ContentFault = "altered" | "header" | "size";

export class ContentError extends Error {
  constructor(readonly fault: ContentFault) {
    super(`content: ${fault}`);
  }
}

/** Content is what is shared: a text, or a file with its name and its media type. */
export interface Content {
  kind: "text" | "file";
  fileName: string;
  mediaType: string;
  body: Bytes;
}

/** sealContent encrypts a content. It throws ContentError for a header that no device writes. */
export async function sealContent(keys: Keys, content: Content): Promise<Bytes> {
  const header = toBinary(
    ContentHeaderSchema,
    create(ContentHeaderSchema, {
      kind: content.kind === "text" ? ContentHeader_Kind.TEXT : ContentHeader_Kind.FILE,
      fileName: content.fileName,
      mediaType: content.mediaType,
      size: BigInt(content.body.length),
    }),
  );
  if (header.length > headerMax || !clean(content)) {
    throw new ContentError("header");
  }
  const length = new Uint8Array(lengthSize);
  new DataView(length.buffer).setUint32(0, header.length);
  const used = lengthSize + header.length + content.body.length;
  return await seal(keys.content, context, joined([length, header, content.body, new Uint8Array(padded(used) - used)]));
}

/** openContent decrypts and checks a content. It throws ContentError. */
export async function openContent(keys: Keys, sealed: Bytes): Promise<Content> {
  const message = await opened(keys, sealed);
  if (message.length < lengthSize) {
    throw new ContentError("size");
  }
  const headerSize = new DataView(message.buffer).getUint32(0);
  if (headerSize > headerMax) {
    throw new ContentError("header");
  }
  if (message.length < lengthSize + headerSize) {
    throw new ContentError("size");
  }
  const begin = lengthSize + headerSize;
  const header = parseHeader(message.subarray(lengthSize, begin));
  const end = BigInt(begin) + header.size;
  if (end > message.length || padded(Number(end)) !== message.length || message.subarray(Number(end)).some(Boolean)) {
    throw new ContentError("size");
  }
  const content: Content = {
    kind: header.kind === ContentHeader_Kind.TEXT ? "text" : "file",
    fileName: header.fileName,
    mediaType: header.mediaType,
    body: message.slice(begin, Number(end)),
  };
  if (!clean(content)) {
    throw new ContentError("header");
  }
  return content;
}

async function opened(keys: Keys, sealed: Bytes): Promise<Bytes> {
  try {
    return await open(keys.content, context, sealed);
  } catch (error) {
    throw error instanceof ChunkedError ? new ContentError("altered") : error;
  }
}

function parseHeader(bytes: Uint8Array): ContentHeader {
  try {
    const header = fromBinary(ContentHeaderSchema, bytes);
    if (header.kind === ContentHeader_Kind.TEXT || header.kind === ContentHeader_Kind.FILE) {
      return header;
    }
  } catch {
    // It is no header.
  }
  throw new ContentError("header");
}

/** clean reports whether names are safe to show, and a file's to save it under. */
function clean({ fileName, mediaType }: Content): boolean {
  return isFileName(fileName) && isClean(mediaType, 127);
}

/** isFileName reports whether a name is safe to show and to save a file under. The empty one is. */
export function isFileName(name: string): boolean {
  return isClean(name, 255) && !/[/\\]/.test(name) && name !== "." && name !== "..";
}

/** isClean reports whether a text of at most so many characters is safe to show in one line. */
export function isClean(text: string, longest: number): boolean {
  return [...text].length <= longest && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text);
}

/** padded returns the length that content is padded to: at least 256 bytes, and otherwise by Padmé. */
export function padded(length: number): number {
  if (length <= contentMin) {
    return contentMin;
  }
  const exponent = 31 - Math.clz32(length);
  const step = 2 ** (exponent - (32 - Math.clz32(exponent)));
  return Math.ceil(length / step) * step;
}
