import { useEffect, useRef, useState } from "preact/hooks";
import type { Link } from "../endtoend/link";
import { follow, pauseFor, type Source } from "../follow";
import type { Collection } from "../gen/hush/v1/request_service_pb";
import { asRefusal } from "../refusal";
import { CardError, type CardFault } from "../requests/card";
import { type CollectKeys, collectKeys } from "../requests/keys";
import { requests } from "../rpc";
import { Collector, isOver, type Shown } from "./collector";

/** How long to wait before a check is repeated for which a script was missing. */
const pause = 5_000;

/** State is what the page knows of a collection. */
export interface State {
  keys?: CollectKeys;
  /** What it shows; it stays while the network is away. */
  shown?: Shown;
  /** Whether the connection is up; undefined once nothing more can happen. */
  live: boolean | undefined;
  /** Why it shows nothing of the collection: what came is not the link's. */
  fault?: CardFault;
  /** Why the service refused; nothing follows. */
  refused?: unknown;
}

/** Call is what calls about a collection send. */
export type Call = Record<"collectKey", string> & Record<"collectProof", Uint8Array>;

/** Actions change what is shown. */
export interface Actions {
  /** Shows a collection that a call returned. */
  take: (collection: Collection) => void;
  /** Notes that an answer was shown: see Collector. */
  opened: (id: string) => void;
}

/** useCollection follows the collection of a link. Only the link's key and the collect proof leave this device. */
export function useCollection(link: Link): [State, Actions] {
  const [state, setState] = useState<State>({ live: true });
  const actions = useRef<Actions>({ take: () => undefined, opened: () => undefined });
  useEffect(() => {
    const end = new AbortController();
    const change = (part: Partial<State>) => end.signal.aborted || setState((now) => ({ ...now, ...part }));
    void begin(link, change, end.signal).then((begun) => {
      actions.current = begun;
    });
    return () => end.abort();
  }, []);
  return [
    state,
    { take: (collection) => actions.current.take(collection), opened: (id) => actions.current.opened(id) },
  ];
}

async function begin(link: Link, change: (part: Partial<State>) => void, signal: AbortSignal): Promise<Actions> {
  const keys = await collectKeys(link.secret);
  const collector = new Collector(keys);
  change({ keys });
  let last: Collection | undefined;
  let checks = Promise.resolve();
  // One after the other, in the order in which they came.
  const take = (collection: Collection) => {
    last = collection;
    checks = checks.then(async () => {
      if (!(await check(collector, collection, change))) {
        await pauseFor(pause, signal);
        if (last === collection && !signal.aborted) {
          take(collection);
        }
      }
    });
  };
  const onGone = (refused: unknown) => change({ refused, live: undefined });
  const onOver = () => change({ live: undefined });
  void follow(source(link.key, keys), { onValue: take, onLive: (live) => change({ live }), onOver, onGone }, signal);
  return {
    take,
    opened: (id) => {
      collector.opened(id);
      if (last) {
        take(last);
      }
    },
  };
}

/** check shows a collection, and reports whether it could be checked at all. */
async function check(
  collector: Collector,
  collection: Collection,
  change: (part: Partial<State>) => void,
): Promise<boolean> {
  try {
    const shown = await collector.take(collection);
    change({ shown, fault: undefined });
    return true;
  } catch (thrown) {
    if (thrown instanceof CardError) {
      change({ shown: undefined, fault: thrown.fault });
      return true;
    }
    change({ live: false }); // a script that decrypts did not load
    return false;
  }
}

function source(collectKey: string, { proof: collectProof }: CollectKeys): Source<Collection> {
  const call: Call = { collectKey, collectProof };
  return {
    watch: async (signal) => collectionsOf(await requests.watchCollection(call, { signal })),
    get: async (signal) => (await requests.getCollection(call, { signal })).collection,
    isOver,
  };
}

async function* collectionsOf(
  stream: AsyncIterable<{ collection?: Collection }>,
): AsyncGenerator<Collection | undefined> {
  for await (const { collection } of stream) {
    yield collection;
  }
}

/** isUnknown reports whether the service has no such request: it never existed, or is forgotten. */
export function isUnknown(refused: unknown): boolean {
  return asRefusal(refused).code === "not_found";
}
