import { signal } from "@preact/signals";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import type { FileFacts } from "../share/draft";
import { read, write } from "../storage";
import { item, keepsHistory } from "./device";

/** Entry is a receipt that this device remembers: never a link, a label or a content. It is stored as [key, expires], with the name and size of a file behind that. */
export interface Entry {
  /** The key of the receipt. */
  key: string;
  /** When the receipt expires, in milliseconds since 1970. */
  expires: number;
  /** The file that was shared, if it was one. */
  file?: FileFacts | undefined;
}

/** How many receipts the device remembers. The oldest go first. */
const most = 200;

/** The receipts that this device remembers, newest first; undefined unless the visitor turned the history on. */
export const remembered = signal<readonly Entry[] | undefined>(stored(Date.now()));

/** turnOn starts the history. It reports whether the browser stores it. */
export function turnOn(): boolean {
  return keep(stored(Date.now()) ?? []);
}

/** forgetAll forgets every receipt and turns the history off. */
export function forgetAll(): void {
  show(undefined);
  write(item, null);
}

/** remember adds a receipt, if the history is on. */
export function remember(
  { metadataKey, expireTime }: Pick<Metadata, "metadataKey" | "expireTime">,
  file?: FileFacts,
): void {
  const entries = stored(Date.now()); // which another tab may have changed
  if (entries && expireTime) {
    const entry = { key: metadataKey, expires: Number(expireTime.seconds) * 1000, file };
    keep([entry, ...entries.filter(({ key }) => key !== metadataKey)].slice(0, most));
  }
}

/** drop forgets receipts that are gone. */
export function drop(keys: readonly string[]): void {
  const entries = stored(Date.now());
  if (entries) {
    keep(entries.filter(({ key }) => !keys.includes(key)));
  }
}

/** refresh reads the history again, because another tab may have changed it. */
export function refresh(): void {
  const entries = stored(Date.now());
  if (entries) {
    keep(entries);
  } else {
    show(undefined);
  }
}

function keep(entries: readonly Entry[]): boolean {
  const stored = write(item, JSON.stringify(entries.map(rowOf)));
  if (stored) {
    show(entries);
  }
  return stored;
}

function show(entries: readonly Entry[] | undefined): void {
  remembered.value = entries;
  keepsHistory.value = entries !== undefined;
}

/** stored returns the stored receipts that have not expired, or undefined if the history is off. */
function stored(now: number): Entry[] | undefined {
  const text = read(item);
  return text === null ? undefined : parse(text).filter(({ expires }) => expires > now);
}

type Row = [key: string, expires: number, name?: string, size?: number];

function rowOf({ key, expires, file }: Entry): Row {
  return file ? [key, expires, file.name, file.size] : [key, expires];
}

/** parse reads what keep wrote. It leaves out what is not a receipt. */
function parse(text: string): Entry[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isRow).map(entryOf) : [];
  } catch {
    return [];
  }
}

function isRow(row: unknown): row is Row {
  return Array.isArray(row) && /^[0-9a-z]{31}$/.test(String(row[0])) && Number.isFinite(row[1]);
}

function entryOf([key, expires, name, size]: Row): Entry {
  return typeof name === "string" && Number.isFinite(size)
    ? { key, expires, file: { name, size: Number(size) } }
    : { key, expires };
}
