import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { EventKind, State } from "../src/contract";
import type { Metadata } from "../src/gen/hush/v1/metadata_pb";
import { problemText } from "../src/problem";
import { follow, type Source } from "../src/receipts/follow";
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

/** background sets up a page that is hidden, and a clock that only tick moves, a second at a time. */
function background() {
  const page = Object.assign(new EventTarget(), { hidden: true });
  const events = { addEventListener: () => undefined, removeEventListener: () => undefined };
  Object.assign(globalThis, { ...events, document: page });
  mock.timers.enable({ apis: ["setTimeout"] });
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((done) => setImmediate(done));
    }
  };
  const tick = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await settle();
      mock.timers.tick(1_000);
    }
    await settle();
  };
  const show = () => {
    page.hidden = false;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  return { tick, show, restore: () => mock.timers.reset() };
}

/** pulse is a stream that says every 15 seconds that it is up, until it is aborted. */
async function* pulse(metadata: Metadata, signal: AbortSignal): AsyncGenerator<{ metadata?: Metadata }> {
  yield { metadata };
  for (;;) {
    await new Promise<void>((done, fail) => {
      setTimeout(done, 15_000);
      signal.addEventListener("abort", () => fail(new Refusal("", { code: "canceled" })));
    });
    yield {};
  }
}

/** A page in the background: how often it asked for a stream and for the receipt, and what it saw. */
function sender(source: Partial<Source> = {}) {
  const did = { streams: 0, looks: 0, states: [] as number[], over: 0, state: State.new as number };
  const end = new AbortController();
  const following = follow(
    "key",
    {
      onReceipt: (metadata) => did.states.push(metadata.state),
      onLive: () => undefined,
      onOver: () => (did.over += 1),
      onGone: () => assert.fail("nothing is gone"),
    },
    end.signal,
    {
      watch: async (key, signal) => {
        did.streams += 1;
        return source.watch ? source.watch(key, signal) : pulse(receipt(did.state), signal);
      },
      get: async (key, signal) => {
        did.looks += 1;
        return source.get ? source.get(key, signal) : receipt(did.state);
      },
    },
  );
  const leave = async () => {
    end.abort();
    await following;
  };
  return { did, leave };
}

// Its sender may want a notification, and reads the title of its tab.
test("a page that has long been in the background sees that its secret was opened, and asks no more", async () => {
  const page = background();
  const { did, leave } = sender();
  try {
    await page.tick(5 * 60);
    assert.equal(did.streams, 1, "a page in the background keeps no stream");
    did.state = State.received;
    await page.tick(4 * 60);
    assert.equal(did.states.at(-1), State.received);
    assert.equal(did.over, 1);
    const looks = did.looks;
    await page.tick(20 * 60);
    assert.deepEqual([did.streams, did.looks], [1, looks]);
  } finally {
    await leave();
    page.restore();
  }
});

// The service allows a network 1,000 calls in twenty minutes.
test("twenty pages in the background leave calls to the other devices of a network", async () => {
  const page = background();
  const { did, leave } = sender();
  try {
    await page.tick(20 * 60);
    assert.ok(did.looks >= 5 && did.looks * 20 < 250, `looks in twenty minutes: ${did.looks}`);
    await page.tick(20 * 60);
    assert.ok(did.looks <= 24, `looks in forty minutes: ${did.looks}`);
    const looks = did.looks;
    page.show();
    await page.tick(1);
    assert.deepEqual([did.streams, did.looks], [2, looks], "a page that is shown again has a stream at once");
  } finally {
    await leave();
    page.restore();
  }
});

test("a page in the background asks again after it was offline, and not before the service allows it", async () => {
  const page = background();
  const refusals = [
    new Refusal("", { code: "offline" }),
    new Refusal("", { code: "resource_exhausted", retryAfter: 600 }),
  ];
  const { did, leave } = sender({
    watch: async () => {
      throw new Refusal("", { code: "offline" });
    },
    get: async () => {
      const refusal = refusals.shift();
      if (refusal) {
        throw refusal;
      }
      return receipt(State.received);
    },
  });
  try {
    await page.tick(3 * 60);
    assert.equal(did.looks, 2);
    await page.tick(7 * 60 - 60);
    assert.equal(did.looks, 2);
    await page.tick(7 * 60);
    assert.deepEqual([did.streams, did.looks, did.over], [1, 3, 1]);
  } finally {
    await leave();
    page.restore();
  }
});
