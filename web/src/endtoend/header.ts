/*
 * What a content says about itself, as seal/endtoend writes it:
 *
 *   length of the header (4 bytes, big-endian) | header | body | zeros
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ContentHeader, ContentHeader_Kind, ContentHeaderSchema } from "../gen/hush/v1/content_pb";
import { type Bytes, encoded, joined } from "./bytes";
import { lengthSize } from "./plain";

const headerMax = 2044;
const contentMin = 256;

/** sizeMax is the length of the longest body that a device writes. */
const sizeMax = 2 ** 51 - 1;

/** context binds an encrypted message to its use as a content. */
export const context = encoded("hush.v1 content");

/** partSize is the length of each part of a file but the last, in bytes of the encrypted content. */
export const partSize = 8 * 1024 * 1024;

/** ContentFault is why a content or a preview is refused although its keys may fit. */
export type ContentFault = "altered" | "header" | "size";

export class ContentError extends Error {
  constructor(readonly fault: ContentFault) {
    super(`content: ${fault}`);
  }
}

/** Header describes a content. */
export interface Header {
  kind: "text" | "file";
  /** The name of a file, without a folder; it may be empty. */
  fileName: string;
  /** What the sender's device named a file. It never decides how the content is shown. */
  mediaType: string;
  /** The length of the body in bytes. */
  size: number;
}

/** writeHeader returns what stands before the body. It throws ContentError for a header that no device writes. */
export function writeHeader(header: Header): Bytes {
  const { kind, fileName, mediaType, size } = header;
  if (!isHeader(header)) {
    throw new ContentError("header");
  }
  const message = create(ContentHeaderSchema, { kind: kindTo(kind), fileName, mediaType, size: BigInt(size) });
  const bytes = toBinary(ContentHeaderSchema, message);
  if (bytes.length > headerMax) {
    throw new ContentError("header");
  }
  const length = new Uint8Array(lengthSize);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return joined([length, bytes]);
}

/** readHeader returns the header at the beginning of a message, and where the body begins. It throws ContentError. */
export function readHeader(message: Bytes): { header: Header; begin: number } {
  if (message.length < lengthSize) {
    throw new ContentError("size");
  }
  const length = new DataView(message.buffer, message.byteOffset).getUint32(0);
  if (length > headerMax) {
    throw new ContentError("header");
  }
  const begin = lengthSize + length;
  if (message.length < begin) {
    throw new ContentError("size");
  }
  const { kind, fileName, mediaType, size } = parse(message.subarray(lengthSize, begin));
  const header = { kind: kindOf(kind), fileName, mediaType, size: Number(size) };
  if (!isHeader(header)) {
    throw new ContentError("header");
  }
  return { header, begin };
}

function parse(bytes: Uint8Array): ContentHeader {
  try {
    return fromBinary(ContentHeaderSchema, bytes);
  } catch {
    throw new ContentError("header");
  }
}

/** kindTo returns the number of a kind. */
export function kindTo(kind: Header["kind"]): ContentHeader_Kind {
  return kind === "text" ? ContentHeader_Kind.TEXT : ContentHeader_Kind.FILE;
}

/** kindOf returns the kind of a number. It throws ContentError for one that this version does not know. */
export function kindOf(kind: ContentHeader_Kind): Header["kind"] {
  switch (kind) {
    case ContentHeader_Kind.TEXT:
      return "text";
    case ContentHeader_Kind.FILE:
      return "file";
    default:
      throw new ContentError("header");
  }
}

/** isHeader reports whether names are safe to show, a file's to save it under, and whether a content can have the size. */
export function isHeader({ fileName, mediaType, size }: Omit<Header, "kind">): boolean {
  return isFileName(fileName) && isClean(mediaType, 127) && Number.isInteger(size) && size >= 0 && size <= sizeMax;
}

/** isFileName reports whether a name is safe to show and to save a file under. The empty one is. */
export function isFileName(name: string): boolean {
  return isClean(name, 255) && !/[/\\]/.test(name) && name !== "." && name !== "..";
}

/** isClean reports whether a text of at most so many characters is safe to show in one line. */
export function isClean(text: string, longest: number): boolean {
  return [...text].length <= longest && !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text);
}

/**
 * padded returns the length that content is padded to: at least 256 bytes, and otherwise by
 * Padmé. It is exact for each length up to 2^53 - 1; operators on bits would cut it to 32.
 */
export function padded(length: number): number {
  if (length <= contentMin) {
    return contentMin;
  }
  const exponent = bits(length) - 1;
  const step = 2 ** (exponent - bits(exponent));
  return Math.ceil(length / step) * step;
}

/** bits returns the number of bits of an integer. A logarithm would round 2^53 - 1 up to 53. */
function bits(number: number): number {
  const high = Math.floor(number / 2 ** 32);
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(number);
}
