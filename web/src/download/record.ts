/*
 * What this tab keeps of a file that it opened, so that a reload goes on: the claim, until
 * it is acknowledged. It is in the storage of the tab, which ends with it, under a name
 * from which nobody gets the key of the link. What decrypts is in the address alone.
 */
import { type Bytes, encoded } from "../endtoend/bytes";

/** The beginning of the items of all files. */
const item = "hush.file.";

/** Record is what is kept of a file. */
export interface Record {
  claim: Bytes;
  /** When the claim ends, in milliseconds of the clock that the visitor sees. */
  until: number;
  /** The name of the browser's own file that holds the body's beginning; empty for none. */
  kept: string;
  /** How many bytes of the body are in it. */
  written: number;
  /** Whether it has a passphrase, which is asked for again. */
  passphrase: boolean;
  /** Whether the whole file was written: only the acknowledgement is missing. */
  done: boolean;
}

/** Records are those of one tab. Tests have others. */
export interface Records {
  read: (id: string) => Record | undefined;
  /** Keeps a record, or removes it. A browser may forbid storage: then a reload does not go on. */
  write: (id: string, record: Record | undefined) => void;
}

/** idOf returns the name of a file on this device. The key cannot be found from it. */
export async function idOf(key: string): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", encoded(`hush file ${key}`));
  return hex(new Uint8Array(sum).slice(0, 16));
}

/** records returns the records of a tab. */
export function records(
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem"> = () => sessionStorage,
): Records {
  return {
    read: (id) => {
      try {
        return parse(storage().getItem(item + id));
      } catch {
        return undefined;
      }
    },
    write: (id, record) => {
      try {
        if (record) {
          storage().setItem(item + id, JSON.stringify({ ...record, claim: hex(record.claim) }));
        } else {
          storage().removeItem(item + id);
        }
      } catch {
        // The browser forbids storage.
      }
    },
  };
}

function parse(text: string | null): Record | undefined {
  const { claim, until, kept, written, passphrase, done } = JSON.parse(text ?? "{}") as Partial<
    Omit<Record, "claim">
  > & {
    claim?: string;
  };
  if (!/^[0-9a-f]{64}$/.test(claim ?? "") || !Number.isFinite(until)) {
    return undefined;
  }
  const bytes = Uint8Array.from((claim ?? "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return {
    claim: bytes,
    until: until ?? 0,
    kept: kept ?? "",
    written: written ?? 0,
    passphrase: passphrase === true,
    done: done === true,
  };
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * lock keeps other tabs from the file with that id until the returned function is called.
 * It returns undefined if another tab has it. Where the browser has no locks, nothing does.
 */
export async function lock(id: string): Promise<(() => void) | undefined> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) {
    return () => undefined;
  }
  return await new Promise((resolve) => {
    const held = locks.request(item + id, { ifAvailable: true }, (granted) => {
      if (!granted) {
        resolve(undefined);
        return undefined;
      }
      return new Promise<void>((release) => resolve(release));
    });
    held.catch(() => resolve(() => undefined)); // a browser that forbids locks
  });
}

/** isLocked reports whether a tab has the file with that id. */
export async function isLocked(id: string): Promise<boolean> {
  const release = await lock(id);
  release?.();
  return !release;
}
