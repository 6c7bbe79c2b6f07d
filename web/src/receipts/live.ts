import { useEffect, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { followGroup } from "./followgroup";
import { isSettled } from "./phase";

/** How many receipts one call may ask for. */
const most = 25;

/**
 * useLive keeps the receipts of a list up to date, the newest of those whose secrets
 * wait. It returns what LiveMark shows: false while it cannot, and true only where it
 * follows all that wait, and asks again within seconds.
 */
export function useLive(
  rows: readonly Metadata[] | undefined,
  onChange: (metadata: Metadata) => void,
): boolean | undefined {
  const [lost, setLost] = useState(false);
  const [soon, setSoon] = useState(false);
  const open = (rows ?? []).filter((row) => !isSettled(row));
  const keys = open.slice(0, most).map((row) => row.metadataKey);
  useEffect(() => {
    if (keys.length === 0) {
      return;
    }
    const end = new AbortController();
    const onReceipts = (read: readonly Metadata[]) => read.forEach(onChange);
    const onError = (thrown: unknown) => setLost(Boolean(thrown));
    void followGroup(keys, { onReceipts, onError, onSoon: setSoon, later: true }, end.signal);
    return () => end.abort();
  }, [keys.join()]);
  if (keys.length === 0) {
    return undefined;
  }
  if (lost) {
    return false;
  }
  return (soon && open.length <= most) || undefined;
}
