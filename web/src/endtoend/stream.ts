import { type Bytes, joined } from "./bytes";

/** Pieces are bytes in a row, as they come. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Stream hands out pieces in lengths of the caller's choice, each byte once. */
export class Stream {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(pieces: Pieces) {
    this.#pieces = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : iterate(pieces);
  }

  /** take returns so many bytes, or at the end what is left. The caller owns them. */
  async take(length: number): Promise<Bytes> {
    const taken = new Uint8Array(length);
    const size = await this.fill(taken);
    return size < length ? taken.slice(0, size) : taken;
  }

  /** fill is take into the memory of the caller. It returns the number of bytes. */
  async fill(memory: Bytes): Promise<number> {
    let at = 0;
    while (at < memory.length) {
      if (this.#rest.length === 0) {
        const next = await this.#pieces.next();
        if (next.done) {
          break;
        }
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, memory.length - at);
      memory.set(piece, at);
      at += piece.length;
      this.#rest = this.#rest.subarray(piece.length);
    }
    return at;
  }

  /** untake puts bytes back, so that the next ones to be taken are these. */
  untake(bytes: Bytes) {
    this.#rest = joined([bytes, this.#rest]);
  }

  /** cancel lets go of the pieces that are left. It does not wait: the next one may never come. */
  cancel() {
    this.#pieces.return?.().catch(() => {});
  }
}

async function* iterate(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/**
 * worked returns what work makes of each block of that length that a stream has, in their
 * order. The last block is shorter, and may be empty. While the caller has one result, work
 * is at the next one. All blocks have the same memory: work has read one when it returns its
 * promise, as WebCrypto has.
 */
export async function* worked<T>(
  stream: Stream,
  length: number,
  work: (block: Bytes, number: number) => Promise<T>,
): AsyncGenerator<T, void, undefined> {
  const memory = new Uint8Array(length);
  let before: Promise<T> | undefined;
  for (let number = 0; ; number++) {
    const size = await stream.fill(memory);
    const result = work(memory.subarray(0, size), number);
    result.catch(() => {}); // it is thrown when its turn comes
    if (before) {
      yield await before;
    }
    if (size < length) {
      yield await result;
      return;
    }
    before = result;
  }
}
