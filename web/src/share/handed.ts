/* Notices files that are dropped or pasted anywhere on the page, before what takes them is loaded. */
import { useEffect, useRef, useState } from "preact/hooks";

/** Handed is what was dropped or pasted at once. */
export interface Handed {
  files: readonly File[];
  /** Whether a folder is among it, which a browser does not read. */
  folder: boolean;
}

/**
 * useHanded calls take with what is dropped or pasted anywhere on the page, and
 * returns whether files are dragged over it. Without it, the browser would leave the
 * page and open them. A paste that also has text is left alone: spreadsheets and word
 * processors add a picture of it.
 */
export function useHanded(take: (handed: Handed) => void): boolean {
  const [over, setOver] = useState(false);
  const current = useRef(take);
  current.current = take;
  useEffect(() => {
    const end = new AbortController();
    const on = <K extends "dragover" | "dragleave" | "drop" | "paste">(
      kind: K,
      fn: (event: DocumentEventMap[K]) => void,
    ) => document.addEventListener(kind, fn, { signal: end.signal });
    on("dragover", (event) => {
      if (hasFiles(event.dataTransfer)) {
        event.preventDefault();
        setOver(true);
      }
    });
    on("dragleave", (event) => setOver((was) => was && event.relatedTarget !== null));
    on("drop", (event) => {
      setOver(false);
      if (event.dataTransfer && hasFiles(event.dataTransfer)) {
        event.preventDefault();
        current.current(handedIn(event.dataTransfer));
      }
    });
    on("paste", (event) => {
      const data = event.clipboardData;
      if (data && hasFiles(data) && !data.types.includes("text/plain")) {
        event.preventDefault();
        current.current(handedIn(data));
      }
    });
    return () => end.abort();
  }, []);
  return over;
}

function hasFiles(data: DataTransfer | null): boolean {
  return Boolean(data?.types.includes("Files"));
}

/** handedIn reads a drop or a paste, which is empty as soon as its event is over. */
function handedIn(data: DataTransfer): Handed {
  const folder = [...data.items].some((item) => item.kind === "file" && item.webkitGetAsEntry()?.isDirectory);
  return { files: [...data.files], folder };
}
