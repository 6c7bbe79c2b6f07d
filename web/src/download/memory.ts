/* Keeps a file in memory until it is whole. It is for browsers that have no other place. */
import { download } from "../download";
import type { Bytes } from "../endtoend/bytes";
import type { Sink, Target } from "./sink";

/** memoryMax is the length of the longest file that is kept in memory, in bytes. Small phones end a page that takes more. */
export const memoryMax = 256 * 1024 * 1024;

/** inMemory returns a sink, or undefined for a file that is too long. */
export function inMemory({ name, size }: Target): Sink | undefined {
  if (size > memoryMax) {
    return undefined;
  }
  let pieces: Blob[] = [];
  const file = () => new Blob(pieces, { type: "application/octet-stream" });
  const forget = async () => {
    pieces = [];
  };
  return {
    kind: "memory",
    kept: "",
    begin: forget,
    write: async (piece: Bytes) => {
      pieces.push(new Blob([piece]));
    },
    flush: async () => undefined,
    finish: async () => {
      pieces = [file()];
    },
    abort: forget,
    save: () => download(name, file()),
    remove: forget,
  };
}
