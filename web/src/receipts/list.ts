import { useEffect, useRef, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { State } from "../gen/hush/v1/secret_pb";
import { receipts } from "../rpc";
import { forgetEndedSession } from "../session";
import { type Phase, phaseOf } from "./phase";

/** The filters of the list: all receipts, or those in one phase. */
export const filters = ["all", "waiting", "received", "burned", "expired"] as const satisfies ("all" | Phase)[];
export type Filter = (typeof filters)[number];

const states: Record<Filter, State[]> = {
  all: [],
  waiting: [State.NEW, State.VIEWED],
  received: [State.RECEIVED],
  burned: [State.BURNED],
  expired: [State.EXPIRED],
};

/** search returns the receipts whose label, recipients, domain or key contain each word of a text. */
export function search(rows: readonly Metadata[], text: string): Metadata[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const where = [row.memo, row.secretShortkey, row.shareDomain, ...row.recipients].join("\n").toLowerCase();
    return words.every((word) => where.includes(word));
  });
}

/** Count is how many receipts a filter has among those loaded, and whether there may be more. */
export interface Count {
  found: number;
  more: boolean;
}

export interface Receipts {
  /** The receipts loaded so far; undefined before the first page. */
  rows: readonly Metadata[] | undefined;
  /** How many receipts each filter has; undefined before the first page. */
  counts: Record<Filter, Count> | undefined;
  /** How many receipts so far cannot be decrypted. */
  sealed: number;
  /** Whether there are more pages. */
  more: boolean;
  busy: boolean;
  error: unknown;
  /** Loads the next page. */
  loadMore: () => void;
  /** Loads the first page again. */
  reload: () => void;
  /** Replaces a receipt of the list. */
  replace: (next: Metadata) => void;
}

interface Pages {
  rows: readonly Metadata[];
  sealed: number;
  token: string;
}

type Loaded = Partial<Record<Filter, Pages>>;

/** countsOf counts what the filters have among all receipts as far as they are loaded. */
export function countsOf(rows: readonly Metadata[], more: boolean): Record<Filter, Count> {
  const count = (filter: Filter) => ({ found: matching(rows, filter).length, more });
  return Object.fromEntries(filters.map((filter) => [filter, count(filter)])) as Record<Filter, Count>;
}

function matching(rows: readonly Metadata[], filter: Filter): readonly Metadata[] {
  return filter === "all" ? rows : rows.filter((row) => phaseOf(row) === filter);
}

/** listFor returns the list that has what a filter shows: once all receipts are loaded, no other call is needed. */
function listFor(loaded: Loaded, filter: Filter): Filter {
  return loaded.all?.token === "" ? "all" : filter;
}

/** replaced returns the lists with a new state of a receipt. One that it belongs to only now is forgotten, and loads anew. */
function replaced(loaded: Loaded, next: Metadata): Loaded {
  const phase = phaseOf(next);
  const lists: Loaded = {};
  let moved = false;
  for (const name of filters) {
    const pages = loaded[name];
    if (pages) {
      const before = pages.rows.find((row) => row.metadataKey === next.metadataKey);
      moved ||= before !== undefined && phaseOf(before) !== phase;
      lists[name] = { ...pages, rows: pages.rows.map((row) => (row === before ? next : row)) };
    }
  }
  return moved ? { ...lists, [phase]: undefined } : lists;
}

/** useReceipts loads an account's receipts page by page, newest first. */
export function useReceipts(filter: Filter): Receipts {
  const [loaded, setLoaded] = useState<Loaded>({});
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ name: Filter; thrown: unknown }>();
  const latest = useRef(0);
  const grown = useRef(false); // older ones are shown, which a new first page would hide
  const fetch = async (name: Filter, before: Pages | undefined) => {
    const own = ++latest.current;
    setBusy(true);
    setFailed(undefined);
    try {
      const page = await receipts.listMetadata({ pageToken: before?.token ?? "", states: states[name] });
      if (own === latest.current) {
        const next = {
          rows: [...(before?.rows ?? []), ...page.metadata],
          sealed: (before?.sealed ?? 0) + page.sealedCount,
          token: page.nextPageToken,
        };
        setLoaded((old) => ({ ...old, [name]: next }));
      }
    } catch (thrown) {
      if (own === latest.current) {
        setFailed({ name, thrown });
        forgetEndedSession(thrown);
      }
    } finally {
      if (own === latest.current) {
        setBusy(false);
      }
    }
  };
  useEffect(
    () => () => {
      latest.current += 1;
    },
    [],
  );
  const name = listFor(loaded, filter);
  const pages = loaded[name];
  const missing = !pages;
  useEffect(() => {
    if (missing) {
      void fetch(name, undefined);
    }
  }, [name, missing]);
  useEffect(() => {
    // What was shared elsewhere meanwhile is on the first page.
    const back = () => !document.hidden && !grown.current && void fetch(name, undefined);
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, [name]);
  return {
    rows: pages && matching(pages.rows, filter),
    counts: loaded.all && countsOf(loaded.all.rows, loaded.all.token !== ""),
    sealed: pages?.sealed ?? 0,
    more: Boolean(pages?.token),
    busy,
    error: failed?.name === name ? failed.thrown : undefined,
    loadMore: () => {
      grown.current = true;
      void fetch(name, pages);
    },
    reload: () => void fetch(name, undefined),
    replace: (next) => setLoaded((old) => replaced(old, next)),
  };
}
