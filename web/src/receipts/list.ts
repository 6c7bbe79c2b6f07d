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

/** pagesFor returns what a filter shows: once all receipts are loaded, no other call is needed. */
function pagesFor(loaded: Loaded, filter: Filter): Pages | undefined {
  return loaded.all?.token === "" ? { ...loaded.all, rows: matching(loaded.all.rows, filter) } : loaded[filter];
}

/** useReceipts loads an account's receipts page by page, newest first. */
export function useReceipts(filter: Filter): Receipts {
  const [loaded, setLoaded] = useState<Loaded>({});
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const latest = useRef(0);
  const grown = useRef(false); // older ones are shown, which a new first page would hide
  const fetch = async (name: Filter, before: Pages | undefined) => {
    const own = ++latest.current;
    setBusy(true);
    setError(undefined);
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
        setError(thrown);
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
  const pages = pagesFor(loaded, filter);
  useEffect(() => {
    if (!pages) {
      void fetch(filter, undefined);
    }
  }, [filter]);
  useEffect(() => {
    // What was shared elsewhere meanwhile is on the first page.
    const back = () => !document.hidden && !grown.current && void fetch(filter, undefined);
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, [filter]);
  const swap = (page: Pages | undefined, next: Metadata) =>
    page && { ...page, rows: page.rows.map((row) => (row.metadataKey === next.metadataKey ? next : row)) };
  return {
    rows: pages?.rows,
    counts: loaded.all && countsOf(loaded.all.rows, loaded.all.token !== ""),
    sealed: pages?.sealed ?? 0,
    more: Boolean(pages?.token),
    busy,
    error,
    loadMore: () => {
      grown.current = true;
      void fetch(filter, pages);
    },
    reload: () => void fetch(filter, undefined),
    replace: (next) =>
      setLoaded((old) => Object.fromEntries(filters.map((name) => [name, swap(old[name], next)])) as Loaded),
  };
}
