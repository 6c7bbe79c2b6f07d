/* What is encrypted: a length of 4 bytes, so many bytes, and zeros. */
import { type Bytes, joined } from "./bytes";

/** lengthSize is the number of bytes before the others. */
export const lengthSize = 4;

/** pad returns the length, the bytes, and zeros up to the size of all. */
export function pad(bytes: Bytes, size: number): Bytes {
  const length = new Uint8Array(lengthSize);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return joined([length, bytes, new Uint8Array(size - lengthSize - bytes.length)]);
}

/** unpad returns the bytes, or nothing if they are more than limit, go beyond the end, or if others than zeros follow. */
export function unpad(plain: Bytes, limit: number): Bytes | undefined {
  if (plain.length < lengthSize) {
    return undefined;
  }
  const length = new DataView(plain.buffer, plain.byteOffset).getUint32(0);
  const end = lengthSize + length;
  if (length > limit || end > plain.length || plain.subarray(end).some(Boolean)) {
    return undefined;
  }
  return plain.slice(lengthSize, end);
}
