/*
 * Writes a file into the browser's own storage, which only workers can do piece by piece.
 * It does one thing after the other, and answers each with {} or with what failed.
 */

/** Order is what the page wants done. */
export type Order =
  /** Opens the file, and makes sure that there is room for all of it, unless it goes on with one. */
  | { do: "open"; folder: string; name: string; size: number; from: number }
  | { do: "write"; at: number; piece: Uint8Array }
  | { do: "flush" }
  | { do: "close"; size: number };

/** Done is the answer to an order. */
export interface Done {
  failed?: "room" | "lost";
}

interface AccessHandle {
  write: (piece: Uint8Array, options: { at: number }) => number;
  truncate: (size: number) => void;
  getSize: () => number;
  flush: () => void;
  close: () => void;
}

type Handle = FileSystemFileHandle & { createSyncAccessHandle: () => Promise<AccessHandle> };

let file: AccessHandle | undefined;
let queue: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Order>) => {
  queue = queue.then(async () => {
    self.postMessage(await answered(data));
  });
};

async function answered(order: Order): Promise<Done> {
  try {
    await carryOut(order);
    return {};
  } catch (thrown) {
    return { failed: (thrown as DOMException).name === "QuotaExceededError" ? "room" : "lost" };
  }
}

async function carryOut(order: Order): Promise<void> {
  if (order.do === "open") {
    file = await opened(order);
    return;
  }
  const open = file;
  if (!open) {
    throw new Error("no file is open");
  }
  switch (order.do) {
    case "write":
      writeAll(open, order.piece, order.at);
      break;
    case "flush":
      open.flush();
      break;
    case "close":
      open.truncate(order.size);
      open.flush();
      open.close();
      file = undefined;
      break;
  }
}

async function opened({ folder, name, size, from }: Order & { do: "open" }): Promise<AccessHandle> {
  const root = await navigator.storage.getDirectory();
  const handle = (await (
    await root.getDirectoryHandle(folder, { create: true })
  ).getFileHandle(name, {
    create: from === 0,
  })) as Handle;
  const access = await handle.createSyncAccessHandle();
  if (from > 0 && access.getSize() < from) {
    access.close();
    throw new Error("the file is shorter than it was");
  }
  try {
    access.truncate(size);
  } catch (thrown) {
    access.close();
    throw thrown;
  }
  return access;
}

function writeAll(open: AccessHandle, piece: Uint8Array, at: number): void {
  for (let done = 0; done < piece.length; ) {
    const count = open.write(piece.subarray(done), { at: at + done });
    if (count <= 0) {
      throw new DOMException("no room", "QuotaExceededError");
    }
    done += count;
  }
}
