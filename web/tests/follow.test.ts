import assert from "node:assert/strict";
import { test } from "node:test";
import { State } from "../src/contract";
import { waits } from "../src/follow";

test("a receipt is followed while its secret waits, whether or not its key is shown", () => {
  for (const [name, state] of Object.entries(State)) {
    assert.equal(waits({ state }), name === "new" || name === "viewed", name);
  }
});
