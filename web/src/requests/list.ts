import { useEffect, useRef, useState } from "preact/hooks";
import type { Request } from "../gen/hush/v1/request_pb";
import { requests } from "../rpc";
import { forgetEndedSession } from "../session";
import { isUnlisted, type Kept, keptRequests } from "./kept";
import { count } from "./waiting";

/** How often the list asks for what changed. */
const every = 15_000;

/** Row is a request of the account, with what this device knows of it. */
export interface Row {
  request: Request;
  /** Absent if another device asked. */
  kept: Kept | undefined;
}

export interface List {
  /** The requests loaded so far, newest first; undefined before the first page. */
  rows: readonly Row[] | undefined;
  /** Those that this device asked for without an account. */
  others: readonly Kept[];
  more: boolean;
  busy: boolean;
  error: unknown;
  loadMore: () => void;
  /** Loads the first page again. */
  reload: () => void;
  /** Replaces a request of the list. */
  replace: (next: Request) => void;
}

interface Pages {
  all: readonly Request[];
  token: string;
}

/** useRequests loads an account's requests page by page, newest first, and asks for the first page again while it is the only one. */
export function useRequests(): List {
  const [pages, setPages] = useState<Pages>();
  const [kept, setKept] = useState<readonly Kept[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const latest = useRef(0);
  const replaced = useRef<readonly Request[]>([]); // newest first
  const grown = useRef(false); // older ones are shown, which a new first page would hide
  const load = async (before: Pages | undefined, quiet = false) => {
    const own = ++latest.current;
    const known = replaced.current;
    setBusy(!quiet);
    try {
      const [page, device] = await Promise.all([
        requests.listRequests({ pageToken: before?.token ?? "" }),
        keptRequests(),
      ]);
      if (own === latest.current) {
        // What was replaced meanwhile may be newer than the page, which was asked for before.
        const newer = replaced.current.filter((one) => !known.includes(one));
        const all = [...(before?.all ?? []), ...page.requests];
        setKept(device);
        setPages({ all: all.map((one) => newer.find(({ id }) => id === one.id) ?? one), token: page.nextPageToken });
        setError(undefined);
      }
    } catch (thrown) {
      if (own === latest.current && !quiet) {
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
    const again = () => !document.hidden && !grown.current && void load(undefined, true);
    void load(undefined);
    const timer = setInterval(again, every);
    document.addEventListener("visibilitychange", again);
    return () => {
      latest.current += 1;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, []);
  useEffect(() => {
    if (pages) {
      count(pages.all);
    }
  }, [pages]);
  return {
    rows: pages?.all.map((request) => ({ request, kept: kept.find(({ id }) => id === request.id) })),
    others: kept.filter((one) => one.id === undefined && !isUnlisted(one)),
    more: Boolean(pages?.token),
    busy,
    error,
    loadMore: () => {
      grown.current = true;
      void load(pages);
    },
    reload: () => void load(undefined),
    replace: (next) => {
      replaced.current = [next, ...replaced.current];
      setPages((now) => now && { ...now, all: now.all.map((one) => (one.id === next.id ? next : one)) });
    },
  };
}
