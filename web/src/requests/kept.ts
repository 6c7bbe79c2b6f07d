/*
 * The requests that this device collects and the claims on their answers, in the browser's IndexedDB: the secret of a
 * collect link is in no account and on no server. Who signs out keeps them, as the
 * receipts of this device are kept; those of an account are shown to that account only.
 * A browser may forbid storage: then it keeps nothing, and nothing here throws.
 */

import type { Bytes } from "../endtoend/bytes";

/** Kept is a request whose collect link this device has. */
export interface Kept {
  /** The KEY of its collect link. */
  key: string;
  /** The fragment of its collect link: KEY and C. */
  place: string;
  title: string;
  /** The domain that was chosen for the request's link, empty for the service's own host; absent if this device did not choose it. */
  domain?: string;
  /** When it was made and when it takes no more answers, in milliseconds since 1970. */
  created: number;
  ends: number;
  /** What its account's list names it with; absent if it was made without an account. */
  id?: string;
}

/** A claim on an answer that this device began to open. */
interface Claimed {
  /** What names the answer: the KEY of the collect link, a slash and the answer's number. */
  name: string;
  claim: Bytes;
  /** When it was kept, in milliseconds since 1970. */
  at: number;
}

const database = "hush.requests";
const stores = { requests: "key", claims: "name" } as const;

/**
 * How long a claim is kept, by a clock that may be set by as much in between. The service
 * keeps no content for one for more than an hour; a claim that is tried in vain does no harm.
 */
const claimTime = 25 * 3600 * 1000;

/** How long after its end a request is listed. The service forgets it sooner: no answer waits for more than 7 days. */
const after = 14 * 24 * 3600 * 1000;

/** keepRequest keeps a request, or replaces it. It reports whether the browser stored that. */
export async function keepRequest(request: Kept): Promise<boolean> {
  return (await using("readwrite", (all) => all.put(request))) !== undefined;
}

/**
 * keptRequests returns the requests of this device, newest first. It forgets none: the
 * clock of a device may be wrong, and what is forgotten is gone for good.
 */
export async function keptRequests(): Promise<Kept[]> {
  const all = (await using<Kept[]>("readonly", (kept) => kept.getAll() as IDBRequest<Kept[]>)) ?? [];
  return all.sort((one, other) => other.created - one.created);
}

/** isUnlisted reports whether a request is long over, by the clock of this device. */
export function isUnlisted({ ends }: Kept): boolean {
  return ends + after < Date.now();
}

/** keptRequest returns the request with a collect KEY, or undefined if this device has none. */
export async function keptRequest(key: string): Promise<Kept | undefined> {
  return await using<Kept | undefined>("readonly", (all) => all.get(key) as IDBRequest<Kept | undefined>);
}

/** forgetRequest forgets a request: the service has none with this collect KEY, or the visitor asked for it. */
export async function forgetRequest(key: string): Promise<void> {
  await using("readwrite", (all) => all.delete(key));
}

/**
 * keepClaim keeps a claim until it is forgotten: after a reload, or when the device is on
 * again, the same claim gets the same content as long as the service keeps it.
 */
export async function keepClaim(name: string, claim: Bytes): Promise<void> {
  await using("readwrite", (all) => all.put({ name, claim, at: Date.now() } satisfies Claimed), "claims");
}

/** keptClaim returns the claim on an answer, or undefined if this device has none. It forgets those that are over. */
export async function keptClaim(name: string): Promise<Bytes | undefined> {
  const all = (await using<Claimed[]>("readonly", (kept) => kept.getAll() as IDBRequest<Claimed[]>, "claims")) ?? [];
  const over = all.filter(({ at }) => at + claimTime < Date.now());
  await Promise.all(over.map((one) => forgetClaim(one.name)));
  return all.find((one) => one.name === name && !over.includes(one))?.claim;
}

/** forgetClaim forgets a claim: the content is here, or gone. */
export async function forgetClaim(name: string): Promise<void> {
  await using("readwrite", (all) => all.delete(name), "claims");
}

/** using makes one request of a store, and returns its result once that is stored for good, or undefined if the browser refuses. */
async function using<T>(
  mode: IDBTransactionMode,
  request: (all: IDBObjectStore) => IDBRequest<T>,
  store: keyof typeof stores = "requests",
): Promise<T | undefined> {
  try {
    const opened = await open();
    try {
      return await finished(opened.transaction(store, mode, { durability: "strict" }).objectStore(store), request);
    } finally {
      opened.close();
    }
  } catch {
    return undefined;
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => {
      for (const [store, keyPath] of Object.entries(stores)) {
        opening.result.createObjectStore(store, { keyPath });
      }
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error("another version is open"));
  });
}

function finished<T>(store: IDBObjectStore, request: (all: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const { transaction } = store;
    const asked = request(store);
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error);
  });
}
