import assert from "node:assert/strict";
import { test } from "node:test";
import { State } from "../src/contract";
import type { Metadata } from "../src/gen/hush/v1/metadata_pb";
import { problemText } from "../src/problem";
import { follow } from "../src/receipts/follow";
import { isLockedForGood, isWaiting } from "../src/receipts/phase";
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

const receipt = (state: number) => ({ state }) as Metadata;

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
  const states = [State.new, State.viewed, State.received];
  const seen: number[] = [];
  const lives: boolean[] = [];
  let streams = 0;
  try {
    await follow(
      "key",
      {
        onReceipt: (m) => seen.push(m.state),
        onLive: (live) => lives.push(live),
        onGone: () => assert.fail("nothing is gone"),
      },
      new AbortController().signal,
      {
        watch: async () => {
          streams += 1;
          return refusing("resource_exhausted");
        },
        get: async () => receipt(states[seen.length]!),
      },
    );
  } finally {
    page.restore();
  }
  assert.deepEqual(seen, states);
  assert.deepEqual(lives, [true, true]);
  assert.equal(streams, 3, "each look tries for a stream first");
  assert.ok(
    page.pauses.every((pause) => pause >= 11_000),
    `pauses: ${page.pauses}`,
  );
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
      { onReceipt: (m) => seen.push(m.state), onLive: () => undefined, onGone: (thrown) => gone.push(thrown) },
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
