/* Writes a file where the visitor chose. Chromium has this. */
import { guarded, type Sink, type Target } from "./sink";

interface Handle extends FileSystemFileHandle {
  remove?: () => Promise<void>;
}

type Picker = (options: { suggestedName: string }) => Promise<Handle>;

/** hasPicker reports whether the browser can ask where to save a file. */
export function hasPicker(): boolean {
  return "showSaveFilePicker" in globalThis;
}

/**
 * pickDisk asks where to save a file. It is called in the click, which browsers want. It
 * returns "dismissed" if the visitor chose no place, and undefined if the browser does not
 * let the page ask.
 */
export async function pickDisk({ name }: Target): Promise<Sink | "dismissed" | undefined> {
  const { showSaveFilePicker } = globalThis as unknown as { showSaveFilePicker: Picker };
  try {
    return onDisk(await showSaveFilePicker({ suggestedName: name }));
  } catch (thrown) {
    return (thrown as DOMException).name === "AbortError" ? "dismissed" : undefined;
  }
}

/** onDisk writes into a file of the browser beside the chosen one, which close puts in its place. */
function onDisk(handle: Handle): Sink {
  let stream: FileSystemWritableFileStream | undefined;
  return {
    kind: "disk",
    kept: "",
    begin: () =>
      guarded(async () => {
        stream = await handle.createWritable();
      }),
    write: (piece) => guarded(async () => await stream?.write(piece)),
    flush: async () => undefined,
    finish: () => guarded(async () => await stream?.close()),
    abort: async () => {
      await stream?.abort().catch(() => undefined);
      // The picker has left an empty file.
      await handle.remove?.().catch(() => undefined);
    },
  };
}
