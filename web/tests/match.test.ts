import assert from "node:assert/strict";
import { test } from "node:test";
import { match } from "../src/match";

test("match compares paths with patterns", () => {
  assert.deepEqual(match("/", "/"), {});
  assert.deepEqual(match("/secret/:key", "/secret/abc"), { key: "abc" });
  assert.deepEqual(match("/secret/:key", "/secret/abc/"), { key: "abc" });
  assert.deepEqual(match("/secret/:key", "/secret/a%3Fb"), { key: "a?b" });
  assert.deepEqual(match("/secret/:key", "/secret/%E0%A4%A"), { key: "%E0%A4%A" });
  assert.equal(match("/secret/:key", "/secret/"), undefined);
  assert.equal(match("/secret/:key", "/secret/a/b"), undefined);
  assert.equal(match("/account", "/Account"), undefined);
});
