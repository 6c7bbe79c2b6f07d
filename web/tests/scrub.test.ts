import assert from "node:assert/strict";
import { test } from "node:test";
import { scrub } from "../src/scrub";

const key = "abcdefghijklmnopqrstuvwxy012345";
/** The secret part of an end-to-end link, whole and cut short. */
const secret = "m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV";
const short = "m3Ao1zh6SF";
const token = "0123456789abcdef0123456789abcdef01234567";

test("scrub removes keys, tokens and e-mail addresses", () => {
  const texts = [
    `https://hush.example/s#${key}`,
    `https://hush.example/secret/${key}?x=1`,
    `https://hush.example/private/${key}`,
    "https://hush.example/secret/short-key",
    "/verify/tok-en",
    "/reset/tok-en",
    `boom at https://hush.example/s?utm=1#${key}:1:2`,
    `token ${token}`,
    "mail jane.doe+x@example.com now",
    `KEY ${key.toUpperCase()}`,
    `https://hush.example/e#${key}${secret}`,
    `boom at https://hush.example/e?utm=1#${key}${secret}:1:2`,
    `https://hush.example/e%23${key}${secret}`,
    `https://hush.example/e%2523${key}${secret}?x=1`,
    `https://hush.example/s%23${key}`,
    `/e%23${short}`,
    `/s%252523${short})`,
    `/e/${short}`,
    `run ${key}${secret} and ${secret}`,
  ];
  for (const text of texts) {
    const clean = scrub(text);
    for (const part of [key, key.toUpperCase(), token, secret, short, "short-key", "tok-en", "jane", "utm=1", "x=1"]) {
      assert.ok(!clean.includes(part), `scrub(${text}): got ${clean}, which holds ${part}`);
    }
  }
});

test("scrub keeps the rest of a message", () => {
  const stack = "TypeError: x is undefined\n    at draw (https://hush.example/assets/index-AbC123.js:1:2345)";
  assert.equal(scrub(stack), stack);
});
