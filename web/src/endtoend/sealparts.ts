/*
 * Encrypts a file part by part, in the memory of about one part. What is encrypted is a
 * content like any other, cut into parts of equal length; see header.ts and chunked.ts.
 */
import type { Bytes } from "./bytes";
import { begin, chunkSize, type Message, sealChunk, sealedSize } from "./chunked";
import { ContentError, context, type Header, padded, partSize, writeHeader } from "./header";
import type { Keys } from "./keys";
import { type Pieces, Stream, worked } from "./stream";

export { partSize } from "./header";

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
  try {
    yield* cut(encrypted(await begin(keys.content, context, salt), plain), length);
  } finally {
    plain.cancel();
  }
}

/** encrypted returns the bytes of a message, in pieces. */
async function* encrypted(message: Message, plain: Stream): AsyncGenerator<readonly Uint8Array[]> {
  yield [message.head];
  yield* worked(plain, batch * chunkSize, (block, n) => sealBlock(message, n * batch, block));
}

/** sealBlock encrypts chunks from k on. A block that is not whole is the last one, and ends with a shorter chunk. */
function sealBlock(message: Message, k: number, block: Bytes): Promise<Bytes[]> {
  const chunks: Promise<Bytes>[] = [];
  for (let at = 0; at < batch * chunkSize && at <= block.length; at += chunkSize) {
    chunks.push(sealChunk(message, k + chunks.length, block.subarray(at, at + chunkSize)));
  }
  return Promise.all(chunks);
}

/** cut returns pieces in parts of that length, of which the last one may be shorter. */
async function* cut(lists: AsyncIterable<readonly Uint8Array[]>, length: number): AsyncGenerator<Bytes> {
  let part = new Uint8Array(length);
  let at = 0;
  for await (const list of lists) {
    for (const piece of list) {
      for (let from = 0; from < piece.length; ) {
        const some = piece.subarray(from, from + length - at);
        part.set(some, at);
        from += some.length;
        at += some.length;
        if (at === length) {
          yield part;
          part = new Uint8Array(length);
          at = 0;
        }
      }
    }
  }
  if (at > 0) {
    yield part.slice(0, at);
  }
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

/** read reads blobs. While the caller has a piece, the next one is being read. */
async function* read(blobs: readonly Blob[]): AsyncGenerator<Uint8Array> {
  let before: Promise<ArrayBuffer> | undefined;
  for (const slice of slices(blobs)) {
    const bytes = slice.arrayBuffer();
    bytes.catch(() => {}); // it is thrown when its turn comes
    if (before) {
      yield new Uint8Array(await before);
    }
    before = bytes;
  }
  if (before) {
    yield new Uint8Array(await before);
  }
}

function* slices(blobs: readonly Blob[]): Generator<Blob> {
  for (const blob of blobs) {
    for (let at = 0; at < blob.size; at += pieceSize) {
      yield blob.slice(at, at + pieceSize);
    }
  }
}

function* zeros(length: number): Generator<Uint8Array> {
  const block = new Uint8Array(Math.min(length, pieceSize));
  for (let left = length; left > 0; left -= block.length) {
    yield block.subarray(0, left);
  }
}
