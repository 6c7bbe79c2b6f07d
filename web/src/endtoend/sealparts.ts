/*
 * Encrypts a file part by part, in the memory of about one part. What is encrypted is a
 * content like any other, cut into parts of equal length; see header.ts and chunked.ts.
 */
import { type Bytes, joined } from "./bytes";
import { begin, chunkSize, type Message, sealChunk, sealedSize } from "./chunked";
import { ContentError, context, type Header, padded, writeHeader } from "./header";
import type { Keys } from "./keys";
import { type Pieces, Stream, worked } from "./stream";

/** partSize is the length of each part but the last, in bytes of the encrypted content. */
export const partSize = 8 * 1024 * 1024;

/** Chunks are encrypted in blocks of so many. Two blocks are under way, so that none waits for the page. */
const batch = 64;

/** Blobs are read in pieces of so many bytes. */
const pieceSize = 2 * 1024 * 1024;

/** Body is where the body of a file is read from: blobs in a row, or bytes as they come. */
export type Body = readonly Blob[] | AsyncIterable<Uint8Array>;

/** sizeOfParts returns the length of all parts of a file together. It throws ContentError, as sealParts. */
export function sizeOfParts(header: Header): number {
  return sealedSize(padded(writeHeader(header).length + header.size));
}

/**
 * sealParts encrypts a file and returns its parts in a row. The caller owns each of them,
 * and keeps it until it has arrived: no byte is read or encrypted twice, since the body
 * may have changed meanwhile. So to begin anew is another call, which draws a new salt.
 *
 * It throws ContentError: "header" for a header that no device writes, and "size" if the
 * body is shorter or longer than the header says. The error of a blob that cannot be read
 * is the browser's; that the file on the disk has changed is one.
 */
export async function* sealParts(
  keys: Keys,
  header: Header,
  body: Body,
  length = partSize,
  salt?: Bytes,
): AsyncGenerator<Bytes, void, undefined> {
  const plain = new Stream(written(header, body));
  const sealed = new Stream(encrypted(await begin(keys.content, context, salt), plain));
  try {
    for (;;) {
      const part = await sealed.take(length);
      if (part.length > 0) {
        yield part;
      }
      if (part.length < length) {
        return;
      }
    }
  } finally {
    sealed.cancel();
    plain.cancel();
  }
}

/** encrypted returns the bytes of a message. */
async function* encrypted(message: Message, plain: Stream): AsyncGenerator<Uint8Array> {
  yield message.head;
  yield* worked(plain, batch * chunkSize, (block, n) => sealBlock(message, n * batch, block));
}

/** sealBlock encrypts chunks from k on. A block that is not whole is the last one, and ends with a shorter chunk. */
async function sealBlock(message: Message, k: number, block: Bytes): Promise<Bytes> {
  const chunks: Promise<Bytes>[] = [];
  for (let at = 0; at < batch * chunkSize && at <= block.length; at += chunkSize) {
    chunks.push(sealChunk(message, k + chunks.length, block.subarray(at, at + chunkSize)));
  }
  return joined(await Promise.all(chunks));
}

/** written returns what is encrypted: header, body and zeros. */
async function* written(header: Header, body: Body): AsyncGenerator<Uint8Array> {
  const first = writeHeader(header);
  yield first;
  let left = header.size;
  for await (const piece of pieces(body)) {
    left -= piece.length;
    if (left < 0) {
      throw new ContentError("size");
    }
    yield piece;
  }
  if (left > 0) {
    throw new ContentError("size");
  }
  const used = first.length + header.size;
  yield* zeros(padded(used) - used);
}

function pieces(body: Body): Pieces {
  return Symbol.asyncIterator in body ? body : read(body);
}

async function* read(blobs: readonly Blob[]): AsyncGenerator<Uint8Array> {
  for (const blob of blobs) {
    for (let at = 0; at < blob.size; at += pieceSize) {
      yield new Uint8Array(await blob.slice(at, at + pieceSize).arrayBuffer());
    }
  }
}

function* zeros(length: number): Generator<Uint8Array> {
  const block = new Uint8Array(Math.min(length, pieceSize));
  for (let left = length; left > 0; left -= block.length) {
    yield block.subarray(0, left);
  }
}
