import assert from "node:assert/strict";
import { test } from "node:test";
import { returnPath, signInFor } from "../src/account/returnpath";
import type { Metadata } from "../src/gen/hush/v1/metadata_pb";
import { State } from "../src/gen/hush/v1/secret_pb";
import { countsOf, search } from "../src/receipts/list";

test("sign-in returns to the listed pages", () => {
  for (const path of [
    "/#ask",
    "/recent",
    "/account",
    "/account/tokens",
    "/account/domains",
    "/colonel",
    "/account/domains/a-b.example",
  ]) {
    assert.equal(returnPath(path), path);
    assert.equal(returnPath(new URL(signInFor(path), "https://hush.example").searchParams.get("next")), path);
  }
});

test("sign-in returns to no other page", () => {
  const others = [
    null,
    "",
    "/",
    "//evil.example",
    "//evil.example/recent",
    "/\\evil.example",
    "https://evil.example/recent",
    "javascript:alert(1)",
    "/recent?x=1",
    "/recent#x",
    "/#askx",
    "/recent/",
    "/recent\n",
    "/account/domains/",
    "/account/domains/../../evil",
    "/account/domains/a/b",
    "/account/domains/%2f%2fevil",
    "/secret/abc",
  ];
  for (const path of others) {
    assert.equal(returnPath(path), "/", `returnPath(${path})`);
  }
  assert.equal(signInFor("/verify/abc"), "/signin");
});

test("search finds the receipts that contain each word", () => {
  const rows = [
    { memo: "Wi-Fi of the Cabin", secretShortkey: "ab12cd", shareDomain: "", recipients: [] },
    { memo: "", secretShortkey: "ef34gh", shareDomain: "cabin.example", recipients: ["jo*****@e*****.com"] },
  ] as unknown as Metadata[];
  const keys = (text: string) => search(rows, text).map((row) => row.secretShortkey);
  assert.deepEqual(keys(""), ["ab12cd", "ef34gh"]);
  assert.deepEqual(keys("cabin"), ["ab12cd", "ef34gh"]);
  assert.deepEqual(keys(" CABIN wi-fi "), ["ab12cd"]);
  assert.deepEqual(keys("jo**"), ["ef34gh"]);
  assert.deepEqual(keys("ef34"), ["ef34gh"]);
  assert.deepEqual(keys("nothing"), []);
});

test("countsOf counts a viewed secret as waiting, and says where there may be more", () => {
  const rows = [State.NEW, State.VIEWED, State.RECEIVED, State.EXPIRED].map((state) => ({ state })) as Metadata[];
  const found = Object.entries(countsOf(rows, true)).map(([filter, count]) => [filter, count.found, count.more]);
  assert.deepEqual(found, [
    ["all", 4, true],
    ["waiting", 2, true],
    ["received", 1, true],
    ["burned", 0, true],
    ["expired", 1, true],
  ]);
});
