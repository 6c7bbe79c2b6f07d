import { useEffect, useRef, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { State } from "../gen/hush/v1/secret_pb";
import { receipts } from "../rpc";
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

/** search returns the receipts whose note, recipients, domain or key contain each word of a text. */
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
  refused: unknown;
  next: () => void;
  again: () => void;
  /** change replaces a receipt. */
  change: (next: Metadata) => void;
}

interface Pages {
  rows: readonly Metadata[];
  sealed: number;
  token: string;
}

/** useReceipts loads an account's receipts page by page, newest first. */
export function useReceipts(filter: Filter, onRefused: (thrown: unknown) => void): Receipts {
  const [pages, setPages] = useState<Pages>();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const round = useRef(0);
  const fetch = async (before: Pages | undefined) => {
    const mine = ++round.current;
    setBusy(true);
    setRefused(undefined);
    try {
      const page = await receipts.listMetadata({ pageToken: before?.token ?? "", states: states[filter] });
      if (mine === round.current) {
        setPages({
          rows: [...(before?.rows ?? []), ...page.metadata],
          sealed: (before?.sealed ?? 0) + page.sealedCount,
          token: page.nextPageToken,
        });
      }
    } catch (thrown) {
      if (mine === round.current) {
        setRefused(thrown);
        onRefused(thrown);
      }
    } finally {
      if (mine === round.current) {
        setBusy(false);
      }
    }
  };
  useEffect(() => {
    setPages(undefined);
    void fetch(undefined);
    return () => {
      round.current += 1;
    };
  }, [filter]);
  return {
    rows: pages?.rows,
    sealed: pages?.sealed ?? 0,
    more: Boolean(pages?.token),
    busy,
    refused,
    next: () => void fetch(pages),
    again: () => void fetch(undefined),
    change: (next) =>
      setPages(
        (old) => old && { ...old, rows: old.rows.map((row) => (row.metadataKey === next.metadataKey ? next : row)) },
      ),
  };
}
