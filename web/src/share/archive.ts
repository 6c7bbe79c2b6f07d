import { type Zippable, zipSync } from "fflate";

/** Entry is a file of an archive. */
export interface Entry {
  name: string;
  body: Uint8Array<ArrayBuffer>;
  /** When the file last changed, in milliseconds. */
  modified: number;
}

/** archive packs files whose names are distinct. */
export function archive(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const files: Zippable = {};
  for (const { name, body, modified } of entries) {
    files[name] = [body, { mtime: inRange(modified) }];
  }
  return new Uint8Array(zipSync(files));
}

/** inRange returns a time that archives can hold: they begin with 1980 and end with 2099. */
function inRange(time: number): Date {
  const [first, last] = [new Date(1980, 0, 2), new Date(2099, 11, 30)];
  return new Date(Math.min(Math.max(time, first.getTime()), last.getTime()));
}
