import assert from "node:assert/strict";
import { test } from "node:test";
import { onFirstCall } from "../src/call";
import { problemText } from "../src/problem";
import { Refusal } from "../src/refusal";
import { isWhole } from "../src/wire/whole";

test("the first call loads the client, and its methods get the arguments unchanged", async () => {
  let loads = 0;
  const client = {
    double: async ({ n }: { n: number }) => n * 2,
    count: async function* (to: number) {
      for (let n = 0; n < to; n++) {
        yield n;
      }
    },
    refuse: async () => {
      throw new RangeError("refused");
    },
  };
  const calls = onFirstCall(async () => {
    loads += 1;
    return client;
  });
  assert.equal(await Promise.resolve(calls), calls, "the object itself is no promise");
  assert.equal(loads, 0, "loads before the first call");
  assert.equal(await calls.double({ n: 21 }), 42);
  assert.equal(loads, 1, "loads after the first call");
  const counted: number[] = [];
  for await (const n of await calls.count(3)) {
    counted.push(n);
  }
  assert.deepEqual(counted, [0, 1, 2]);
  await assert.rejects(calls.refuse(), RangeError);
});

test("a call whose client does not load was certainly not sent", async () => {
  const calls = onFirstCall<{ get: () => Promise<number> }>(() => Promise.reject(new TypeError("no script")));
  await assert.rejects(calls.get(), { name: "Refusal", code: "offline", unsent: true });
});

test("a request with half of a character in one of its texts is found, and has a sentence", () => {
  const half = "half \ud83d";
  for (const whole of [undefined, {}, "\ud83d\ude00", { a: ["b", { c: "ü" }], n: 1n, none: null }, new Uint8Array(9)]) {
    assert.equal(isWhole(whole), true);
  }
  for (const broken of [half, "\ude00 half", { a: half }, { a: { b: ["whole", half] } }, { a: [{ b: half }] }]) {
    assert.equal(isWhole(broken), false);
  }
  assert.match(problemText(new Refusal("", { code: "broken_text" })), /Half of a character/);
});
