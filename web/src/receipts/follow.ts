import { follow as followValue, type Follower as OfValue } from "../follow";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { receipts } from "../rpc";
import { isSettled, isWaiting } from "./phase";

interface Follower extends Omit<OfValue<Metadata>, "onValue"> {
  /** Called with the receipt at first and after every change. */
  onReceipt: (metadata: Metadata) => void;
}

/** Source is where receipts come from: the service, except in tests. */
export interface Source {
  watch: (metadataKey: string, signal: AbortSignal) => Promise<AsyncIterable<{ metadata?: Metadata }>>;
  get: (metadataKey: string, signal: AbortSignal) => Promise<Metadata | undefined>;
}

const service: Source = {
  watch: (metadataKey, signal) => receipts.watchMetadata({ metadataKey }, { signal }),
  get: async (metadataKey, signal) => (await receipts.getMetadata({ metadataKey }, { signal })).metadata,
};

/** follow keeps a page up to date with a receipt until nothing more can happen to its secret, or signal aborts. */
export async function follow(
  metadataKey: string,
  { onReceipt, ...follower }: Follower,
  signal: AbortSignal,
  source: Source = service,
): Promise<void> {
  await followValue(
    {
      watch: async (signal) => receiptsOf(await source.watch(metadataKey, signal)),
      get: (signal) => source.get(metadataKey, signal),
      isOver: isSettled,
      // The service ends such a stream because no confirmation is to come.
      isOverAlone: (metadata) => !isWaiting(metadata),
    },
    { ...follower, onValue: onReceipt },
    signal,
  );
}

async function* receiptsOf(stream: AsyncIterable<{ metadata?: Metadata }>): AsyncGenerator<Metadata | undefined> {
  for await (const { metadata } of stream) {
    yield metadata;
  }
}
