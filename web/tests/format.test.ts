import assert from "node:assert/strict";
import { test } from "node:test";

Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
const { size } = await import("../src/format");

test("sizes are in the units that systems show", () => {
  const want: [number, string][] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [999, "999 bytes"],
    [1000, "1 KB"],
    [102_400, "102 KB"],
    [99_949, "99.9 KB"],
    [999_499, "999 KB"],
    [999_500, "1 MB"],
    [1 << 20, "1 MB"],
    [25_000_000, "25 MB"],
    [999_400_000, "999 MB"],
    [999_500_000, "1 GB"],
    [21_474_836_480, "21.5 GB"],
  ];
  for (const [count, text] of want) {
    assert.equal(size(count), text, `size(${count})`);
  }
});
