/*
 * Keeps a file in the browser's own storage until it is whole, and saves it then. It needs
 * twice the room. What a visit leaves there, the next one removes: right after the click
 * that saves a file, the browser may not have read it yet.
 */
import { download } from "../download";
import type { Bytes } from "../endtoend/bytes";
import type { Done, Order } from "../worker/save";
import { startWorker } from "../worker/start";
import { isLocked } from "./record";
import { guarded, type Sink, SinkError, type Target } from "./sink";

const folder = "hush-files";

/** hasStorage reports whether the browser may have such storage. */
export function hasStorage(): boolean {
  return "getDirectory" in (navigator.storage ?? {});
}

/**
 * inStorage returns a sink once there is room for the file, and undefined where the browser
 * has no such storage. Its file has the name kept; where from is above 0, it goes on with
 * the bytes before. It throws SinkError where there is no room.
 */
export async function inStorage({ name, size }: Target, kept: string, from: number): Promise<Sink | undefined> {
  if (!hasStorage()) {
    return undefined;
  }
  const worker = startWorker("save");
  const send = orders(worker);
  try {
    await send({ do: "open", folder, name: kept, size, from });
  } catch (thrown) {
    worker.terminate();
    await removeKept(kept);
    if (thrown instanceof SinkError && thrown.fault === "room") {
      throw thrown;
    }
    return undefined;
  }
  let at = from;
  let whole: File | undefined;
  return {
    kind: "kept",
    kept,
    begin: async (begin) => {
      at = begin;
    },
    write: async (piece: Bytes) => {
      const { length } = piece;
      await send({ do: "write", at, piece }, [piece.buffer]);
      at += length;
    },
    flush: () => send({ do: "flush" }),
    finish: async () => {
      await send({ do: "close", size: at });
      worker.terminate();
      whole = await guarded(async () => await (await (await opened()).getFileHandle(kept)).getFile());
    },
    abort: async () => {
      worker.terminate();
      await removeKept(kept);
    },
    leave: () => worker.terminate(),
    save: () => whole && download(name, whole),
    remove: () => removeKept(kept),
  };
}

/** savedIn returns a file that an earlier page of this tab has written whole, or undefined. */
export async function savedIn(kept: string): Promise<File | undefined> {
  return await opened()
    .then((all) => all.getFileHandle(kept))
    .then((handle) => handle.getFile())
    .catch(() => undefined);
}

/** orders returns what gives a worker an order and waits for its answer. It throws SinkError. */
function orders(worker: Worker): (order: Order, transfer?: Transferable[]) => Promise<void> {
  const waiting: { resolve: () => void; reject: (error: SinkError) => void }[] = [];
  worker.onmessage = ({ data }: MessageEvent<Done>) => {
    const first = waiting.shift();
    if (data.failed) {
      first?.reject(new SinkError(data.failed));
    } else {
      first?.resolve();
    }
  };
  worker.onerror = () => {
    for (const { reject } of waiting.splice(0)) {
      reject(new SinkError("lost"));
    }
  };
  return (order, transfer = []) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      worker.postMessage(order, transfer);
    });
}

async function opened(): Promise<FileSystemDirectoryHandle> {
  return await (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true });
}

async function removeKept(kept: string): Promise<void> {
  // A worker that was ended lets go of its file in a moment.
  for (let tries = 0; tries < 10; tries++) {
    try {
      await (await opened()).removeEntry(kept);
      return;
    } catch (thrown) {
      if ((thrown as DOMException).name === "NotFoundError") {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** removeOld removes the files that earlier visits have left, but those of other tabs and the one with that name. */
export async function removeOld(but: string): Promise<void> {
  if (!hasStorage()) {
    return;
  }
  try {
    const all = (await opened()) as FileSystemDirectoryHandle & { keys: () => AsyncIterable<string> };
    const names: string[] = [];
    for await (const name of all.keys()) {
      names.push(name);
    }
    for (const name of names) {
      if (name !== but && !(await isLocked(name))) {
        await all.removeEntry(name).catch(() => undefined);
      }
    }
  } catch {
    // The browser forbids such storage.
  }
}
