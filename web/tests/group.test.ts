import assert from "node:assert/strict";
import { test } from "node:test";
import { State } from "../src/contract";
import type { Metadata } from "../src/gen/hush/v1/metadata_pb";
import { followGroup } from "../src/receipts/followgroup";
import { keysIn } from "../src/receipts/keys";
import { Refusal } from "../src/refusal";
import { each, newGroup, partsOf, recipientsIn } from "../src/share/parts";

test("recipients are addresses or names, each once", () => {
  for (const [text, mailed, want] of [
    ["", true, []],
    [" , ;", false, []],
    ["a@b.se, c@d.se;e@f.se g@h.se\na@b.se", true, ["a@b.se", "c@d.se", "e@f.se", "g@h.se"]],
    ["Kim Lee, Ida;Ola\nKim Lee", false, ["Kim Lee", "Ida", "Ola"]],
  ] as const) {
    assert.deepEqual(recipientsIn(text, mailed), want);
  }
});

test("a draft has a part for each recipient, and a group only if there are several", () => {
  const mailed = partsOf({ recipients: "a@b.se, c@d.se", memo: "DB" }, true);
  assert.deepEqual(mailed, [
    { name: "a@b.se", recipients: ["a@b.se"], memo: "DB" },
    { name: "c@d.se", recipients: ["c@d.se"], memo: "DB" },
  ]);
  const named = partsOf({ recipients: "Kim, Ida", memo: "DB" }, false);
  assert.deepEqual(
    named.map(({ memo, recipients }) => [memo, recipients]),
    [
      ["DB · Kim", []],
      ["DB · Ida", []],
    ],
  );
  assert.equal(newGroup(named).length, 16);
  assert.notDeepEqual(newGroup(named), newGroup(named));
  const alone = partsOf({ recipients: "", memo: " DB " }, false);
  assert.deepEqual(alone, [{ name: "", recipients: [], memo: " DB " }]);
  assert.equal(newGroup(alone).length, 0);
  assert.deepEqual(partsOf({ recipients: "Kim", memo: "" }, false), [{ name: "Kim", recipients: [], memo: "Kim" }]);
});

test("parts are made one after another, up to the first that is refused", async () => {
  const thrown = new Error("refused");
  const tried: string[] = [];
  const outcome = await each(["a", "b", "c", "d", "e"], async (part) => {
    tried.push(part);
    if (part === "c") {
      throw thrown;
    }
    return part.toUpperCase();
  });
  assert.deepEqual(outcome, { made: ["A", "B"], left: ["c", "d", "e"], thrown });
  assert.deepEqual(tried, ["a", "b", "c"]);
  assert.deepEqual(await each(["a"], async (part) => part), { made: ["a"], left: [] });
});

const key = (letter: string) => letter.repeat(31);

test("an address has the keys of all receipts of a group, each once", () => {
  for (const [text, want] of [
    [`#${key("a")}`, [key("a")]],
    [`#${key("a")}.${key("b")}.${key("a")}`, [key("a"), key("b")]],
    [`%23${key("a")}%2E${key("b")}`, [key("a"), key("b")]],
    ["#short", []],
    ["", []],
    [`#${key("A")}`, [key("a")]],
  ] as const) {
    assert.deepEqual(keysIn(text), want, text);
  }
  const many = Array.from({ length: 30 }, (_, i) => `${key("a").slice(2)}${String(i).padStart(2, "0")}`);
  assert.equal(keysIn(many.join(".")).length, 25);
});

/** pausesOf follows a group without waiting, and returns the pauses that it made. */
async function pausesOf(follow: () => Promise<void>): Promise<number[]> {
  const { setTimeout: real } = globalThis;
  const events = { addEventListener: () => undefined, removeEventListener: () => undefined };
  const pauses: number[] = [];
  Object.assign(globalThis, { ...events, document: { ...events, hidden: false } });
  globalThis.setTimeout = ((fn: () => void, milliseconds: number) => {
    pauses.push(milliseconds);
    return real(fn, 0);
  }) as typeof setTimeout;
  try {
    await follow();
  } finally {
    globalThis.setTimeout = real;
  }
  return pauses;
}

/** keysOf returns the keys of so many receipts. */
const keysOf = (count: number) => Array.from({ length: count }, (_, i) => key(String(i)));

test("a group is followed until nothing more can happen to any of it", async () => {
  const states = [[State.viewed, State.viewed], "lost", [State.burned, State.viewed], [State.burned, State.expired]];
  const seen: (number[] | string)[] = [];
  let calls = 0;
  const source = async () => {
    const next = states[calls++];
    if (!Array.isArray(next)) {
      throw new Error("lost");
    }
    return next.map((state) => ({ state, events: [] as unknown[] }) as Metadata);
  };
  const follower = {
    onReceipts: (rows: readonly Metadata[]) => void seen.push(rows.map(({ state }) => state as number)),
    onError: (thrown: unknown) => void (thrown && seen.push("lost")),
  };
  const pauses = await pausesOf(() => followGroup(keysOf(10), follower, new AbortController().signal, source));
  assert.deepEqual(seen, states);
  assert.equal(pauses.length, 3);
  assert.ok(
    pauses.every((pause) => pause >= 15_000),
    `pauses of ten receipts: got ${pauses}, want at least 15 s`,
  );
});

// The service allows a network 1,000 calls in twenty minutes, and a receipt is one. Its
// other devices open links with these calls, too.
test("the pages of groups leave calls to the other devices of a network", async () => {
  for (const count of [2, 5, 10]) {
    const end = new AbortController();
    let calls = 0;
    const source = async () => {
      calls += 1;
      if (calls === 500) {
        end.abort();
      }
      return keysOf(count).map(() => ({ state: State.viewed, events: [] as unknown[] }) as Metadata);
    };
    const follower = { onReceipts: () => undefined, onError: () => undefined };
    const pauses = await pausesOf(() => followGroup(keysOf(count), follower, end.signal, source));
    let [time, asked] = [0, 1];
    for (; time + (pauses[asked - 1] ?? 0) < 20 * 60_000; asked++) {
      time += pauses[asked - 1] ?? 0;
    }
    const spent = asked * count;
    assert.ok(
      asked > 10 && spent < 250,
      `calls of ${count} receipts: got ${spent} in twenty minutes, want less than 250`,
    );
  }
});

test("a group whose calls are refused for a while is not asked for before", async () => {
  let calls = 0;
  const source = async () => {
    if (calls++ === 0) {
      throw new Refusal("", { code: "resource_exhausted", reason: "rate_limited", retryAfter: 600 });
    }
    return [] as Metadata[];
  };
  const follower = { onReceipts: () => undefined, onError: () => undefined };
  const pauses = await pausesOf(() => followGroup(keysOf(2), follower, new AbortController().signal, source));
  assert.deepEqual(pauses, [600_000]);
});

test("a group is live while its page asks again within seconds", async () => {
  for (const [count, want] of [
    [2, [true, true, true, true, true, false]],
    [10, [false, false, false, false, false, false]],
  ] as const) {
    const end = new AbortController();
    const said: boolean[] = [];
    const source = async () => keysOf(count).map(() => ({ state: State.viewed, events: [] as unknown[] }) as Metadata);
    const onSoon = (soon: boolean) => {
      said.push(soon);
      if (said.length === want.length) {
        end.abort();
      }
    };
    const follower = { onReceipts: () => undefined, onError: () => undefined, onSoon };
    await pausesOf(() => followGroup(keysOf(count), follower, end.signal, source));
    assert.deepEqual(said, want);
  }
});
