/* Turns what a visitor picks, drops or pastes into what is shared: one file. */
import { needed } from "../call";
import { bytes, size } from "../format";
import { t, tn } from "../i18n/share";
import { type ChosenFile, type Draft, limit, type Whole } from "./draft";
import { cleanName, cleanType, distinct } from "./filename";

/** FilesError says in the visitor's language why files cannot be shared. */
export class FilesError extends Error {}

/** More than this is not read: it could not be packed into what may be shared. */
const mostRead = 64 << 20;

/** Most returns the most bytes that may be shared. */
type Most = () => number;

/** whole returns a draft with the content of its file. It waits until that is read, and throws what its body throws. */
export async function whole<D extends Pick<Draft, "file">>({
  file,
  ...rest
}: D): Promise<Omit<D, "file"> & Pick<Whole, "file">> {
  return file ? { ...rest, file: { name: file.name, type: file.type, body: await file.body() } } : rest;
}

/** refused returns why files cannot be shared together, as far as their sizes tell that. */
export function refused(files: readonly File[], most: Most = limit): string {
  try {
    refuseSizes(files, most());
    return "";
  } catch (thrown) {
    return (thrown as FilesError).message;
  }
}

/**
 * chosen returns the file that is shared for files: the only one, or an archive of all. It
 * is read from now on, unless it is larger than what is read whole.
 */
export function chosen(sources: readonly File[], most: Most = limit, readWhole: Most = most): ChosenFile | undefined {
  const [first] = sources;
  if (!first) {
    return undefined;
  }
  if (sources.length === 1 && first.size > readWhole()) {
    return { ...named(first), body: () => readOne(first, most()), packed: [], sources, large: first };
  }
  const packed = sources.length > 1 ? distinct(sources.map(({ name }) => name)) : [];
  const body = again(() => (packed.length > 0 ? pack(sources, packed, most()) : readOne(first, most())));
  body().catch(() => undefined); // whoever asks for it is told
  return packed.length > 0
    ? { name: "files.zip", type: "application/zip", body, packed, sources }
    : { ...named(first), body, packed, sources };
}

function named({ name, type }: File): Pick<ChosenFile, "name" | "type"> {
  return { name: cleanName(name), type: cleanType(type) };
}

/** again returns what calls fn once, and anew after it failed. */
function again<T>(fn: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  return () => {
    last ??= fn().catch((thrown) => {
      last = undefined;
      throw thrown;
    });
    return last;
  };
}

async function readOne(file: File, most: number): Promise<Uint8Array<ArrayBuffer>> {
  refuseSizes([file], most);
  return bytesOf(file);
}

async function pack(files: readonly File[], names: readonly string[], most: number): Promise<Uint8Array<ArrayBuffer>> {
  refuseSizes(files, most);
  const contents = await Promise.all(files.map(bytesOf));
  const { archive } = await needed(() => import("./archive"));
  const body = archive(names.map((name, i) => ({ name, body: contents[i]!, modified: files[i]!.lastModified })));
  refuseAbove(body.length, most, (over) => tn("file.too_large.packed", files.length, over));
  return body;
}

function refuseSizes(files: readonly File[], most: number): void {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length === 1) {
    refuseAbove(total, most, (over) => t("file.too_large", over));
  } else if (total > mostRead) {
    refuseAbove(total, most, (over) => tn("file.too_large.together", files.length, over));
    refuseAbove(total, Math.max(mostRead, limit()), (over) => t("file.too_large.pack", over));
  }
}

function refuseAbove(length: number, most: number, text: (over: { size: string; limit: string }) => string): void {
  if (length > most) {
    // Rounded, a file that is just too large would have the size of the largest.
    const format = size(length) === size(most) ? bytes : size;
    throw new FilesError(text({ size: format(length), limit: format(most) }));
  }
}

async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    return unreadable(file);
  }
}

/** unreadable throws a FilesError that says which file cannot be read. */
export function unreadable({ name }: File): never {
  throw new FilesError(t("file.unreadable", { name: cleanName(name) }));
}
