import assert from "node:assert/strict";
import { test } from "node:test";
import { isSettled, mayHaveArrived } from "../src/answer/delivery";
import { nameOf, sealCall, store, stored } from "../src/answer/sealing";
import { textMost } from "../src/answer/size";
import { random } from "../src/endtoend/bytes";
import { sealedSize } from "../src/endtoend/chunked";
import { openContent, padded } from "../src/endtoend/content";
import { derive } from "../src/endtoend/keys";
import { Refusal } from "../src/refusal";
import { openAnswer } from "../src/requests/answer";
import { ask } from "../src/requests/card";
import { collectKeys } from "../src/requests/keys";

const never = () => Promise.reject(new Error("there is no passphrase"));

async function asked() {
  const keys = await collectKeys(random(32));
  const card = { title: "Key", note: "", kinds: ["text" as const], latest: 2_000_000_000, answers: 1 };
  return { keys, request: await ask(keys, card) };
}

test("the largest answer that the form takes fits, whatever its header", () => {
  for (const limit of [100 << 10, 1 << 20, 64 << 20]) {
    const most = sealedSize(padded(limit + 2048));
    const text = textMost(most);
    assert.ok(text >= limit, `got ${text}, want ${limit} at least`);
    assert.ok(sealedSize(padded(text + 2048)) <= most);
    assert.ok(sealedSize(padded(text + 2049)) > most);
  }
  for (const [nonsense, want] of [
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [100, 0],
  ] as const) {
    assert.equal(textMost(nonsense), want, String(nonsense));
  }
  assert.ok(textMost(Number.MAX_SAFE_INTEGER) > 1 << 30);
});

test("a call opens with the requester's device, and has no link secret in it", async () => {
  const { keys, request } = await asked();
  const call = await sealCall(request, { text: "value", passphrase: "" }, new AbortController().signal);
  const { secret } = await openAnswer(keys, request, call.number, call.sealedLink);
  const { body } = await openContent(await derive(secret, "", never), call.sealed.content);
  assert.equal(new TextDecoder().decode(body), "value");
  const all = [call.number, call.sealedLink, ...Object.values(call.sealed)].map((part) =>
    part instanceof Uint8Array ? Buffer.from(part).toString("hex") : "",
  );
  assert.ok(!all.some((part) => part.includes(Buffer.from(secret).toString("hex"))));
  const other = await sealCall(request, { text: "value", passphrase: "" }, new AbortController().signal);
  assert.notDeepEqual([other.number, other.sealedLink], [call.number, call.sealedLink]);
});

test("what is kept across a reload is the same call, for the same request alone", async () => {
  const items = new Map<string, string>();
  Object.defineProperty(globalThis, "sessionStorage", {
    configurable: true,
    value: {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    },
  });
  const { request } = await asked();
  const call = await sealCall(request, { text: "x".repeat(100_000), passphrase: "" }, new AbortController().signal);
  const [own, other] = [await nameOf(random(32)), await nameOf(random(32))];
  store(own, call);
  assert.deepEqual(stored(own), call);
  assert.equal(stored(other), undefined);
  for (const spoiled of ["", "{}", "[1", `["${own}"]`, `["${own}","?"]`]) {
    items.set("hush.answer", spoiled);
    assert.equal(stored(own), undefined, spoiled);
  }
  store(own, call);
  store(own, undefined);
  assert.equal(items.size, 0);
});

test("a failure says whether the answer may have arrived", () => {
  const of = (details: ConstructorParameters<typeof Refusal>[1]) => {
    const refusal = new Refusal("", details);
    return [mayHaveArrived(refusal), isSettled(refusal)];
  };
  assert.deepEqual(of({ code: "offline" }), [true, false]);
  assert.deepEqual(of({ code: "unavailable", retryAfter: 5 }), [true, false]);
  assert.deepEqual(of({ code: "internal" }), [true, false]);
  assert.deepEqual(of({ code: "offline", unsent: true }), [false, false]);
  assert.deepEqual(of({ code: "unavailable", reason: "maintenance" }), [false, false]);
  assert.deepEqual(of({ code: "resource_exhausted", reason: "rate_limited" }), [false, false]);
  assert.deepEqual(of({ code: "invalid_argument", reason: "challenge" }), [false, false]);
  assert.deepEqual(of({ code: "resource_exhausted", reason: "quota" }), [false, true]);
  assert.deepEqual(of({ code: "failed_precondition", reason: "request_ended" }), [false, true]);
});
