import { useEffect, useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { followGroup } from "./followgroup";
import { isSettled } from "./phase";

/** How many receipts one call may ask for. */
const most = 25;

/**
 * useLive keeps the receipts of a list up to date, the newest of those whose secrets
 * wait. It reports whether it follows any, and whether it cannot at the moment.
 */
export function useLive(
  rows: readonly Metadata[] | undefined,
  onChange: (metadata: Metadata) => void,
): "live" | "lost" | undefined {
  const [lost, setLost] = useState(false);
  const keys = (rows ?? [])
    .filter((row) => !isSettled(row))
    .slice(0, most)
    .map((row) => row.metadataKey);
  useEffect(() => {
    if (keys.length === 0) {
      return;
    }
    const end = new AbortController();
    const onReceipts = (read: readonly Metadata[]) => read.forEach(onChange);
    void followGroup(keys, { onReceipts, onError: (thrown) => setLost(Boolean(thrown)), later: true }, end.signal);
    return () => end.abort();
  }, [keys.join()]);
  if (keys.length === 0) {
    return undefined;
  }
  return lost ? "lost" : "live";
}
