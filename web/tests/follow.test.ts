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
  assert.match(problemText(refused), /can't be opened any more/);
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

test("follow tries again every two seconds for a minute, and then with growing pauses", async () => {
  const page = shown();
  const call = new AbortController();
  let tries = 0;
  try {
    await follow(
      "key",
      {
        onReceipt: () => assert.fail("no receipt"),
        onLive: (live) => assert.equal(live, false),
        onOver: () => assert.fail("nothing is over"),
        onGone: () => assert.fail("nothing is gone"),
      },
      call.signal,
      {
        watch: async () => {
          if (++tries === 37) {
            call.abort();
          }
          throw new Refusal("", { code: "offline" });
        },
        get: async () => assert.fail("no poll"),
      },
    );
  } finally {
    page.restore();
  }
  const near = (pause: number, want: number) => pause >= want * 0.75 && pause <= want * 1.25;
  const want = [...Array.from({ length: 30 }, () => 2_000), 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
  assert.equal(page.pauses.length, want.length);
  for (const [i, pause] of page.pauses.entries()) {
    assert.ok(near(pause, want[i]!), `pause ${i}: ${pause}`);
  }
  assert.ok(new Set(page.pauses.slice(0, 30)).size > 20, "the pauses differ from one another");
});

test("follow does not try again in a hidden page, and at once when it is visible again", async () => {
  const page = shown();
  const call = new AbortController();
  const doc = new EventTarget() as EventTarget & { hidden: boolean };
  doc.hidden = true;
  Object.assign(globalThis, { document: doc });
  let tries = 0;
  const source = {
    watch: async () => {
      tries += 1;
      if (tries === 2) {
        call.abort();
      }
      throw new Refusal("", { code: "offline" });
    },
    get: async () => assert.fail("no poll"),
  };
  const follower = {
    onReceipt: () => undefined,
    onLive: () => undefined,
    onOver: () => undefined,
    onGone: () => undefined,
  };
  const due: (() => void)[] = [];
  globalThis.setTimeout = ((fn: () => void, milliseconds: number) => {
    if (milliseconds < 40_000) {
      due.push(fn);
    }
    return 0;
  }) as unknown as typeof setTimeout;
  const settled = async () => {
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((done) => setImmediate(done));
    }
  };
  try {
    const following = follow("key", follower, call.signal, source);
    await settled();
    assert.equal(due.length, 1);
    due[0]!();
    await settled();
    assert.equal(tries, 1, "the pause is over, and the page is hidden");
    doc.hidden = false;
    doc.dispatchEvent(new Event("visibilitychange"));
    await following;
  } finally {
    page.restore();
  }
  assert.equal(tries, 2);
});
