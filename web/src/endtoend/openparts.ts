/*
 * Decrypts a file part by part, in the memory of about one part. It checks what openContent
 * checks: each chunk before it is handed out, and the end before the body ends.
 */
import { type Bytes, joined } from "./bytes";
import { ChunkedError, chunkSize, enter, headSize, type Message, openChunk, sealedChunkSize } from "./chunked";
import { ContentError, context, type Header, padded, partSize, readHeader } from "./header";
import type { Keys } from "./keys";
import { type Pieces, Stream, worked } from "./stream";

/** Chunks are decrypted in blocks of so many. */
const batch = 64;

/** Parts returns the parts of a file in a row, from the one with that number to the last. */
export type Parts = (from: number) => Pieces;

/** Opened is a file that is being opened. */
export interface Opened {
  header: Header;
  /**
   * body returns the bytes of the body from that place on. It may be called once.
   *
   * What it returns is good, and is all of the file only once it has ended without an error:
   * who saves a file throws it away otherwise. Who has kept the first bytes of a body goes on
   * behind them; the parts before are not asked for, and not checked again. It throws
   * ContentError, or the error of the parts.
   */
  body: (from?: number) => AsyncGenerator<Bytes, void, undefined>;
}

/** openParts reads the header of a file. It throws ContentError, or the error of the parts. */
export async function openParts(keys: Keys, parts: Parts, length = partSize): Promise<Opened> {
  const stream = new Stream(parts(0));
  try {
    const message = await checked(enter(keys.content, context, await stream.take(headSize)));
    const first = await stream.take(sealedChunkSize);
    const { header, begin } = readHeader(await checked(openChunk(message, 0, first)));
    stream.untake(first);
    return { header, body: (from = 0) => bodyOf({ message, parts, length, begin, header }, stream, from) };
  } catch (error) {
    stream.cancel();
    throw error;
  }
}

/** Known is what is known of a file whose header was read. */
interface Known {
  message: Message;
  parts: Parts;
  length: number;
  /** Where the body begins. */
  begin: number;
  header: Header;
}

async function* bodyOf(file: Known, begun: Stream, skipped: number): AsyncGenerator<Bytes, void, undefined> {
  const from = file.begin + skipped;
  const end = file.begin + file.header.size;
  const k = Math.floor(from / chunkSize);
  let at = k * chunkSize;
  const stream = k === 0 ? begun : await jump(file, begun, k);
  try {
    const open = (block: Bytes, n: number) => openBlock(file.message, k + n * batch, block);
    for await (const plain of worked(stream, batch * sealedChunkSize, open)) {
      const zeros = plain.subarray(Math.max(end - at, 0));
      const body = plain.subarray(Math.max(from - at, 0), Math.max(end - at, 0));
      at += plain.length;
      if (at > padded(end) || !areZeros(zeros)) {
        throw new ContentError("size");
      }
      if (body.length > 0) {
        yield body;
      }
    }
  } finally {
    stream.cancel();
  }
  if (at !== padded(end)) {
    throw new ContentError("size");
  }
}

/** jump returns what begins with chunk k. */
async function jump({ parts, length }: Known, begun: Stream, k: number): Promise<Stream> {
  begun.cancel();
  const at = headSize + k * sealedChunkSize;
  const number = Math.floor(at / length);
  const stream = new Stream(parts(number));
  await stream.take(at - number * length);
  return stream;
}

/** openBlock decrypts chunks from k on. A block that is not whole is the last one, and ends with a shorter chunk. */
async function openBlock(message: Message, k: number, sealed: Bytes): Promise<Bytes> {
  const chunks: Promise<Bytes>[] = [];
  for (let at = 0; at < batch * sealedChunkSize && at <= sealed.length; at += sealedChunkSize) {
    chunks.push(openChunk(message, k + chunks.length, sealed.subarray(at, at + sealedChunkSize)));
  }
  return joined(await checked(Promise.all(chunks)));
}

/** areZeros reports whether all bytes are. A large file ends with a percent of zeros, so it is a plain loop. */
function areZeros(bytes: Uint8Array): boolean {
  let all = 0;
  for (let i = 0; i < bytes.length; i++) {
    all |= bytes[i]!;
  }
  return all === 0;
}

async function checked<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof ChunkedError ? new ContentError("altered") : error;
  }
}
