/* The content of an end-to-end encrypted secret, as a whole. sealparts.ts and openparts.ts have those that are longer. */
import { type Bytes, joined } from "./bytes";
import { ChunkedError, open, seal } from "./chunked";
import { ContentError, context, type Header, padded, readHeader, writeHeader } from "./header";
import type { Keys } from "./keys";

export { ContentError, type ContentFault, isClean, isFileName, padded } from "./header";

/** Content is what is shared: a text, or a file with its name and its media type. */
export interface Content extends Omit<Header, "size"> {
  body: Bytes;
}

/** sealContent encrypts a content. It throws ContentError for a header that no device writes. */
export async function sealContent(keys: Keys, content: Content): Promise<Bytes> {
  const header = writeHeader({ ...content, size: content.body.length });
  const used = header.length + content.body.length;
  return await seal(keys.content, context, joined([header, content.body, new Uint8Array(padded(used) - used)]));
}

/** openContent decrypts and checks a content. It throws ContentError. */
export async function openContent(keys: Keys, sealed: Bytes): Promise<Content> {
  const message = await opened(keys, sealed);
  const { header, begin } = readHeader(message);
  const end = begin + header.size;
  if (end > message.length || padded(end) !== message.length || message.subarray(end).some(Boolean)) {
    throw new ContentError("size");
  }
  const { kind, fileName, mediaType } = header;
  return { kind, fileName, mediaType, body: message.slice(begin, end) };
}

async function opened(keys: Keys, sealed: Bytes): Promise<Bytes> {
  try {
    return await open(keys.content, context, sealed);
  } catch (error) {
    throw error instanceof ChunkedError ? new ContentError("altered") : error;
  }
}
