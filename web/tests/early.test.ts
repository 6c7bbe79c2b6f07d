import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "../src/early/key";
import { parse } from "../src/endtoend/link";
import { endToEndIn, keyIn } from "../src/link";
import { read } from "../src/open/lookup";

const key = "abcdefghijklmnopqrstuvwxy012345";
const largest = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1";
const at = (pathname: string, hash = "", secure = true) => ({ pathname, hash, secure });

test("keyOf returns the key of a whole link, and nothing else of it", () => {
  for (const address of [
    at("/s", `#${key}`),
    at("/s", `#${key}`, false),
    at(`/secret/${key}`),
    at(`/secret/${key}`, "#anything"),
    at("/e", `#${key}${"a".repeat(43)}`),
    at("/e", `#${key}${largest}`),
    at("/e", `#${key}${"0".repeat(43)}`),
  ]) {
    assert.equal(keyOf(address), key, JSON.stringify(address));
  }
});

test("keyOf returns no key where the application asks about none, or mends the link first", () => {
  for (const address of [
    at("/"),
    at("/", `#${key}`),
    at("/r", `#${key}`),
    at(`/private/${key}`),
    at("/s"),
    at("/s", key),
    at("/s", `#${key.slice(1)}`),
    at("/s", `#${key}a`),
    at("/s", `#${key}.`),
    at("/s", `#${key}\n`),
    at("/s", `#${key.toUpperCase()}`),
    at("/s", `#${key}${largest}`),
    at("/s/", `#${key}`),
    at(`/s%23${key}`),
    at(`/s/${key}`),
    at("/e", `#${key}`),
    at("/e", `#${key}${largest.slice(1)}`),
    at("/e", `#${key}${largest}a`),
    at("/e", `#${key}${"a".repeat(42)}.`),
    at("/e", `#${key.toUpperCase()}${largest}`),
    at("/e", `#${key}${"a".repeat(43)}`, false),
    at(`/e%23${key}${largest}`),
    at("/secret/"),
    at(`/secret/${key}/`),
    at(`/secret/${key}/burn`),
    at(`/secret/${key}${largest}`),
    at(`/x/secret/${key}`),
  ]) {
    assert.equal(keyOf(address), undefined, JSON.stringify(address));
  }
});

test("keyOf agrees with the application on the secret part of links", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (let place = 0; place < largest.length; place++) {
    for (const digit of digits) {
      const secret = largest.slice(0, place) + digit + largest.slice(place + 1);
      const opens = typeof parse(key + secret) !== "string";
      assert.equal(keyOf(at("/e", `#${key}${secret}`)) === key, opens, secret);
    }
  }
  for (const hash of [`#${key}`, `#${key}${largest}`]) {
    const page = endToEndIn(hash) ? "/e" : "/s";
    assert.equal(keyOf(at(page, hash)), (endToEndIn(hash) || keyIn(hash)).slice(0, 31));
  }
});

const secret = {
  secretKey: key,
  state: "STATE_NEW",
  expireTime: "2026-11-30T12:00:00.123456789Z",
  encryption: "ENCRYPTION_SERVER",
};

test("read returns the details of an answer", () => {
  assert.deepEqual(read({ status: 200, body: { secret } }, key), {
    ...secret,
    hasPassphrase: false,
    expires: new Date("2026-11-30T12:00:00.123Z"),
    shareDomain: "",
    verification: false,
    owned: false,
    encryption: 1,
  });
  const rich = { hasPassphrase: true, shareDomain: "a.example", verification: true, owned: true };
  const body = { secret: { ...secret, ...rich, encryption: "ENCRYPTION_END_TO_END" } };
  assert.deepEqual(read({ status: 200, body }, key), {
    ...body.secret,
    expires: new Date("2026-11-30T12:00:00.123Z"),
    encryption: 2,
  });
  assert.equal(read({ status: 404, body: { code: "not_found" } }, key), "gone");
});

test("read knows nothing of an answer that the service does not give", () => {
  assert.equal(read(undefined, key), undefined);
  const bodies: unknown[] = [null, 1, "", [], {}, { secret: null }, { secret: [] }, { secret: "x" }];
  for (const changed of [
    { secretKey: "another" },
    { secretKey: undefined },
    { encryption: undefined },
    { encryption: "ENCRYPTION_UNSPECIFIED" },
    { encryption: "toString" },
    { expireTime: undefined },
    { expireTime: "soon" },
  ]) {
    bodies.push({ secret: { ...secret, ...changed } });
  }
  for (const body of bodies) {
    assert.equal(read({ status: 200, body }, key), undefined, JSON.stringify(body));
    assert.equal(read({ status: 404, body }, key), undefined, JSON.stringify(body));
  }
  for (const status of [201, 301, 400, 429, 500, 503]) {
    assert.equal(read({ status, body: { secret, code: "not_found" } }, key), undefined, String(status));
  }
});
