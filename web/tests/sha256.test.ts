import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sha256 } from "../src/sha256";
import { solve } from "../src/worker/altcha";

const digest = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");

test("sha256 matches SHA-256 for all lengths around a block's end", () => {
  for (let length = 0; length <= 200; length++) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    assert.equal(sha256(message), digest(message), `sha256 of ${length} bytes`);
  }
});

test("solve finds the number", () => {
  const salt = "f0f0f0f0?expires=1900000000&a=feedback&";
  assert.equal(solve({ salt, challenge: digest(`${salt}4321`), maxNumber: 5000 }), 4321);
  assert.equal(solve({ salt, challenge: digest(`${salt}4321`), maxNumber: 4000 }), -1);
});
