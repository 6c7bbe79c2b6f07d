/*
 * Where a file is written: the best place that the browser has. All that may fail is tried
 * before the server is asked for anything, so that no file is opened which cannot be saved.
 */
import { hasWorkers, inBrowser } from "./browser";
import { hasPicker, pickDisk } from "./disk";
import { hasStorage, inStorage } from "./kept";
import { inMemory, memoryMax } from "./memory";
import type { Sink, Target } from "./sink";

/** keptOrInMemory returns a place within the browser, or undefined. It throws SinkError where there is no room. */
async function keptOrInMemory(target: Target, kept: string, noStorage: boolean): Promise<Sink | undefined> {
  try {
    return (noStorage ? undefined : await inStorage(target, kept, 0)) ?? inMemory(target);
  } catch (thrown) {
    const memory = inMemory(target);
    if (memory) {
      return memory;
    }
    throw thrown;
  }
}

/** Places is where a browser may write files. Tests have others. */
export interface Places {
  /** Reports whether there may be a place for a file of so many bytes. */
  has: (size: number) => boolean;
  /** Whether the browser asks the visitor where to save, which wants a click. */
  asks: () => boolean;
  /**
   * Returns a place, "dismissed" if the visitor chose none, or "none". It is called in the
   * click. It throws SinkError where there is no room.
   */
  choose: (target: Target, kept: string) => Promise<Sink | "dismissed" | "none">;
  /** Goes on with the browser's own file behind so many bytes; undefined if it is gone. */
  resume: (target: Target, kept: string, from: number) => Promise<Sink | undefined>;
}

/** places are those of this browser. What has failed is not tried again: without(kind) leaves it out. */
export function places(): Places & { without: (kind: Sink["kind"]) => void } {
  const failed = new Set<Sink["kind"]>();
  return {
    without: (kind) => failed.add(kind),
    has: (size) => hasPicker() || hasWorkers() || hasStorage() || size <= memoryMax,
    asks: () => hasPicker() && !failed.has("disk"),
    choose: async (target, kept) => {
      // The picker comes before anything is awaited: it wants the click.
      const disk = hasPicker() && !failed.has("disk") ? await pickDisk(target) : undefined;
      if (disk) {
        return disk;
      }
      const browser = failed.has("browser") ? undefined : await inBrowser(target).catch(() => undefined);
      return browser ?? (await keptOrInMemory(target, kept, failed.has("kept"))) ?? "none";
    },
    resume: (target, kept, from) => inStorage(target, kept, from),
  };
}
