/* Turns what a visitor picks, drops or pastes into what is shared: one file. */
import { needed } from "../call";
import { bytes, size } from "../format";
import { t, tn } from "../i18n/share";
import { limit, type SharedFile } from "./draft";
import { cleanName, cleanType, distinct } from "./filename";

/** FilesError says in the visitor's language why files cannot be shared. */
export class FilesError extends Error {}

/** More than this is not read: it could not be packed into what may be shared. */
const mostRead = 64 << 20;

/** read returns the file that is shared for files: the only one, or an archive of all. It throws FilesError, or a Refusal if a script does not load. */
export async function read(files: readonly File[]): Promise<SharedFile> {
  const [first] = files;
  if (!first) {
    throw new FilesError(t("file.none"));
  }
  return files.length === 1 ? readOne(first) : packed(files);
}

async function readOne(file: File): Promise<SharedFile> {
  refuseAbove(file.size, (over) => t("file.too_large", over));
  return {
    name: cleanName(file.name),
    type: cleanType(file.type),
    body: await bytesOf(file),
    packed: [],
    sources: [file],
  };
}

async function packed(files: readonly File[]): Promise<SharedFile> {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (total > mostRead) {
    refuseAbove(total, (over) => tn("file.too_large.together", files.length, over));
  }
  const names = distinct(files.map(({ name }) => name));
  const contents = await Promise.all(files.map(bytesOf));
  const { archive } = await needed(() => import("./archive"));
  const body = archive(names.map((name, i) => ({ name, body: contents[i]!, modified: files[i]!.lastModified })));
  refuseAbove(body.length, (over) => tn("file.too_large.packed", files.length, over));
  return { name: "files.zip", type: "application/zip", body, packed: names, sources: files };
}

function refuseAbove(length: number, text: (over: { size: string; limit: string }) => string): void {
  if (length > limit()) {
    // Rounded, a file that is just too large would have the size of the largest.
    const format = size(length) === size(limit()) ? bytes : size;
    throw new FilesError(text({ size: format(length), limit: format(limit()) }));
  }
}

async function bytesOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new FilesError(t("file.unreadable", { name: cleanName(file.name) }));
  }
}
