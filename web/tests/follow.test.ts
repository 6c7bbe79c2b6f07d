import assert from "node:assert/strict";
import { test } from "node:test";
import { EventKind, State } from "../src/contract";
import type { Metadata } from "../src/gen/hush/v1/metadata_pb";
import { problemText } from "../src/problem";
import { follow } from "../src/receipts/follow";
import { confirmationOf, isLockedForGood, isSettled, isWaiting } from "../src/receipts/phase";
import { type Code, Refusal } from "../src/refusal";

test("a receipt is followed while its secret waits, whether or not its key is shown", () => {
  for (const [name, state] of Object.entries(State)) {
    assert.equal(isWaiting({ state }), name === "new" || name === "viewed", name);
  }
});

// A final state already says that nobody can open the secret.
test("a secret is locked for good only while it waits", () => {
  for (const [name, state] of Object.entries(State)) {
    assert.equal(isLockedForGood({ state, lockedForGood: true }), name === "new" || name === "viewed", name);
    assert.equal(isLockedForGood({ state, lockedForGood: false }), false, name);
  }
});

test("the text for a lock without an end contains no time", () => {
  const refused = new Refusal("", { code: "resource_exhausted", reason: "locked", forGood: true });
  assert.match(problemText(refused), /cannot be opened any more/);
});

/** receipt returns a receipt whose secret was opened so many seconds before the service's answer. */
const receipt = (state: number, events: number[] = [], since = 0) =>
  ({
    state,
    events: events.map((kind) => ({ kind })),
    receiveTime: { seconds: 1_000n },
    expireTime: { seconds: 9_000n },
    ttlLeft: { seconds: BigInt(8_000 - since) },
  }) as Metadata;

const opened = [EventKind.created, EventKind.revealed];

test("a confirmation is awaited for two minutes, by the service's clock", () => {
  for (const [metadata, want] of [
    [receipt(State.viewed, [EventKind.created]), undefined],
    [receipt(State.burned, opened), undefined],
    [receipt(State.received), undefined],
    [receipt(State.received, opened), "pending"],
    [receipt(State.received, opened, 129), "pending"],
    [receipt(State.received, opened, 130), undefined],
    [receipt(State.received, [...opened, EventKind.delivered]), "delivered"],
    [receipt(State.received, [...opened, EventKind.lapsed], 500), "lapsed"],
  ] as const) {
    assert.equal(confirmationOf(metadata), want);
    assert.equal(isSettled(metadata), !isWaiting(metadata) && want !== "pending");
  }
});

/** shown sets up a visible page whose pauses end at once. */
function shown(): { pauses: number[]; restore: () => void } {
  const { setTimeout: real } = globalThis;
  const pauses: number[] = [];
  const events = { addEventListener: () => undefined, removeEventListener: () => undefined };
  Object.assign(globalThis, { ...events, document: { ...events, hidden: false } });
  globalThis.setTimeout = ((fn: () => void, milliseconds: number) => {
    if (milliseconds >= 40_000) {
      return real(() => undefined, 0); // the timer for a silent stream must not fire
    }
    pauses.push(milliseconds);
    return real(fn, 0);
  }) as typeof setTimeout;
  return { pauses, restore: () => (globalThis.setTimeout = real) };
}

// biome-ignore lint/correctness/useYield: the stream ends before its first message.
async function* refusing(code: Code): AsyncGenerator<{ metadata?: Metadata }> {
  throw new Refusal("", { code, reason: "too_many" });
}

test("follow polls without a stream, until the secret is final", async () => {
  const page = shown();
  const answers = [
    receipt(State.new),
    receipt(State.viewed),
    receipt(State.received, opened),
    receipt(State.received, [...opened, EventKind.delivered]),
  ];
  const seen: Metadata[] = [];
  const lives: boolean[] = [];
  let streams = 0;
  let overs = 0;
  try {
    await follow(
      "key",
      {
        onReceipt: (m) => seen.push(m),
        onLive: (live) => lives.push(live),
        onOver: () => (overs += 1),
        onGone: () => assert.fail("nothing is gone"),
      },
      new AbortController().signal,
      {
        watch: async () => {
          streams += 1;
          return refusing("resource_exhausted");
        },
        get: async () => answers[seen.length]!,
      },
    );
  } finally {
    page.restore();
  }
  assert.deepEqual(seen, answers);
  assert.deepEqual(lives, [true, true, true]);
  assert.equal(streams, 4, "each look tries for a stream first");
  assert.equal(overs, 1);
  assert.ok(
    page.pauses.every((pause) => pause >= 11_000),
    `pauses: ${page.pauses}`,
  );
});

/** streamOf is a stream that the service ends after its messages, or that breaks. */
async function* streamOf(messages: (Metadata | undefined)[], broken = false): AsyncGenerator<{ metadata?: Metadata }> {
  for (const metadata of messages) {
    yield { metadata };
  }
  if (broken) {
    throw new Refusal("", { code: "unavailable" });
  }
}

// A stream can break, and has a longest time: neither says that the confirmation will not come.
test("follow waits for the confirmation until the service says that none is to come", async () => {
  const awaited = receipt(State.received, opened);
  const delivered = receipt(State.received, [...opened, EventKind.delivered]);
  for (const [name, streams, want] of [
    ["delivered in one stream", [streamOf([receipt(State.new), awaited, delivered])], 3],
    ["a broken stream", [streamOf([awaited], true), streamOf([delivered])], 2],
    ["a stream that had its time", [streamOf([awaited, undefined]), streamOf([delivered])], 2],
    ["a device that never confirms", [streamOf([receipt(State.new), awaited]), streamOf([awaited])], 3],
  ] as const) {
    const page = shown();
    const left = [...streams];
    let seen = 0;
    let overs = 0;
    try {
      await follow(
        "key",
        {
          onReceipt: () => (seen += 1),
          onLive: () => undefined,
          onOver: () => (overs += 1),
          onGone: () => assert.fail("nothing is gone"),
        },
        new AbortController().signal,
        { watch: async () => left.shift()!, get: async () => assert.fail("no poll") },
      );
    } finally {
      page.restore();
    }
    assert.equal(seen, want, name);
    assert.equal(overs, 1, name);
    assert.equal(left.length, 0, name);
  }
});

test("follow returns to a stream after polling, and stops if the receipt is gone", async () => {
  const page = shown();
  const seen: number[] = [];
  const gone: unknown[] = [];
  const watches = [
    () => refusing("resource_exhausted"),
    async function* () {
      yield { metadata: receipt(State.viewed) };
      throw new Refusal("", { code: "unavailable" });
    },
    () => refusing("resource_exhausted"),
  ];
  let looks = 0;
  try {
    await follow(
      "key",
      {
        onReceipt: (m) => seen.push(m.state),
        onLive: () => undefined,
        onOver: () => assert.fail("the secret waits"),
        onGone: (thrown) => gone.push(thrown),
      },
      new AbortController().signal,
      {
        watch: async () => watches.shift()!(),
        get: async () => {
          if (++looks > 1) {
            throw new Refusal("", { code: "not_found" });
          }
          return receipt(State.new);
        },
      },
    );
  } finally {
    page.restore();
  }
  assert.deepEqual(seen, [State.new, State.viewed]);
  assert.equal(gone.length, 1);
  assert.equal(watches.length, 0);
});
