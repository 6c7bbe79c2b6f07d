/* Where a file is written while it arrives. */
import type { Bytes } from "../endtoend/bytes";

/** SinkFault is why a file cannot be written: the visitor cancelled it, the disk has no room, or the place is gone. */
export type SinkFault = "cancelled" | "room" | "lost";

/** SinkError says that a file cannot be written. What was written of it is thrown away. */
export class SinkError extends Error {
  constructor(readonly fault: SinkFault) {
    super(`sink: ${fault}`);
  }
}

/** Target is the file to write. */
export interface Target {
  /** The name to save it under, which may be shortened. */
  name: string;
  size: number;
}

/**
 * Sink takes one file. Its methods are called in their order, and throw SinkError. What it
 * took counts only once finish has returned: until then abort throws all of it away.
 */
export interface Sink {
  /**
   * disk: where the visitor chose. browser: among the browser's downloads, and only the
   * visitor sees whether it arrives. kept: in the browser's own storage, and then saved.
   * memory: in memory, and then saved.
   */
  readonly kind: "disk" | "browser" | "kept" | "memory";
  /** The name of the browser's own file that survives a reload; empty for none. */
  readonly kept: string;
  /** Begins to write behind so many bytes, which it has already. */
  begin: (from: number) => Promise<void>;
  /** Takes the next bytes, which it owns then. It returns when it may get more. */
  write: (piece: Bytes) => Promise<void>;
  /** Makes what was written survive a reload. */
  flush: () => Promise<void>;
  finish: () => Promise<void>;
  abort: () => Promise<void>;
  /** Stops and leaves what was flushed for another page of this tab. Others abort. */
  leave?: () => void;
  /** Saves what finish has left in the browser; undefined where it is saved already. */
  save?: () => void;
  /** Removes what finish has left in the browser. */
  remove?: () => Promise<void>;
}

/** faultOf returns why a browser's interface for files threw. */
export function faultOf(thrown: unknown): SinkFault {
  const { name } = (thrown ?? {}) as { name?: string };
  return name === "QuotaExceededError" ? "room" : name === "AbortError" ? "cancelled" : "lost";
}

/** guarded turns what an interface of the browser throws into a SinkError. */
export async function guarded<T>(fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (thrown) {
    throw thrown instanceof SinkError ? thrown : new SinkError(faultOf(thrown));
  }
}
