import { useEffect } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { receipts } from "../rpc";
import { isMoving } from "./phase";

/** How often a page asks how much of a file has moved, in milliseconds. */
const pace = 5_000;

/**
 * useMoving asks for a receipt now and then while parts of its file are on their way: the
 * stream of a receipt has its states alone. A hidden page does not ask.
 */
export function useMoving(metadata: Metadata | undefined, onReceipt: (metadata: Metadata) => void): void {
  const key = metadata && isMoving(metadata) ? metadata.metadataKey : undefined;
  useEffect(() => {
    if (key === undefined) {
      return;
    }
    const end = new AbortController();
    const ask = async () => {
      if (document.hidden) {
        return;
      }
      const answer = await receipts.getMetadata({ metadataKey: key }, { signal: end.signal }).catch(() => undefined);
      if (answer?.metadata && !end.signal.aborted) {
        onReceipt(answer.metadata);
      }
    };
    const timer = setInterval(() => void ask(), pace);
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, [key]);
}
