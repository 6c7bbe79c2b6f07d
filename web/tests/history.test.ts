import assert from "node:assert/strict";
import { test } from "node:test";

const items = new Map<string, string>();
Object.defineProperty(globalThis, "localStorage", {
  value: {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  },
  configurable: true,
});
const { drop, forgetAll, remember, remembered, turnOn } = await import("../src/receipts/history");

const [one, two] = ["1".repeat(31), "2".repeat(31)];
const later = 4_000_000_000;
const receipt = (metadataKey: string) => ({
  metadataKey,
  expireTime: { $typeName: "google.protobuf.Timestamp" as const, seconds: BigInt(later), nanos: 0 },
});

test("the history has receipts, and of files their names and sizes, once it is turned on", () => {
  remember(receipt(one));
  assert.equal(remembered.value, undefined);
  assert.equal(items.size, 0);
  turnOn();
  remember(receipt(one), { name: "notes.txt", size: 5 });
  remember(receipt(two));
  assert.deepEqual(remembered.value, [
    { key: two, expires: later * 1000, file: undefined },
    { key: one, expires: later * 1000, file: { name: "notes.txt", size: 5 } },
  ]);
  assert.deepEqual(JSON.parse(items.get("hush.history") ?? ""), [
    [two, later * 1000],
    [one, later * 1000, "notes.txt", 5],
  ]);
  drop([two]);
  assert.deepEqual(remembered.value, [{ key: one, expires: later * 1000, file: { name: "notes.txt", size: 5 } }]);
  forgetAll();
  assert.equal(items.size, 0);
});

test("what is no receipt is left out, and a file that is none as well", () => {
  items.set(
    "hush.history",
    JSON.stringify([[one, later * 1000, 7, "x"], ["short", 1], "nonsense", [two, later * 1000]]),
  );
  turnOn();
  assert.deepEqual(
    remembered.value?.map(({ key, file }) => [key, file]),
    [
      [one, undefined],
      [two, undefined],
    ],
  );
});
