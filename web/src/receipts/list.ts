import { useEffect, useRef, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { State } from "../gen/hush/v1/secret_pb";
import { receipts } from "../rpc";
import { forgetEndedSession } from "../session";
import type { Phase } from "./phase";

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

export interface Receipts {
  /** The receipts loaded so far; undefined before the first page. */
  rows: readonly Metadata[] | undefined;
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

/** useReceipts loads an account's receipts page by page, newest first. */
export function useReceipts(filter: Filter): Receipts {
  const [pages, setPages] = useState<Pages>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const latest = useRef(0);
  const fetch = async (before: Pages | undefined) => {
    const own = ++latest.current;
    setBusy(true);
    setError(undefined);
    try {
      const page = await receipts.listMetadata({ pageToken: before?.token ?? "", states: states[filter] });
      if (own === latest.current) {
        setPages({
          rows: [...(before?.rows ?? []), ...page.metadata],
          sealed: (before?.sealed ?? 0) + page.sealedCount,
          token: page.nextPageToken,
        });
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
  useEffect(() => {
    setPages(undefined);
    void fetch(undefined);
    return () => {
      latest.current += 1;
    };
  }, [filter]);
  return {
    rows: pages?.rows,
    sealed: pages?.sealed ?? 0,
    more: Boolean(pages?.token),
    busy,
    error,
    loadMore: () => void fetch(pages),
    reload: () => void fetch(undefined),
    replace: (next) =>
      setPages(
        (old) => old && { ...old, rows: old.rows.map((row) => (row.metadataKey === next.metadataKey ? next : row)) },
      ),
  };
}
