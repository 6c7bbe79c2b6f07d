import assert from "node:assert/strict";
import { test } from "node:test";
import { homeElsewhere, keyIn, receiptLink, secretLink } from "../src/link";

const key = "abcdefghijklmnopqrstuvwxy012345";

test("keyIn finds the key in a mangled link", () => {
  const spellings = [
    key,
    `#${key}`,
    `#${key}.`,
    `#${key})`,
    `#${key}=`,
    `#${key}?utm_source=mail&utm_medium=x`,
    `#${key}&fbclid=IwAR0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`,
    `#${key}%20`,
    `#${key}%3Futm_source%3Dx`,
    `${key.slice(0, 12)}\r\n${key.slice(12)}`,
    `${key.slice(0, 12)}\u200b${key.slice(12)}`,
    key.toUpperCase(),
    `https://hush.example/s#${key},`,
    `https://hush.example/secret/${key}!`,
    `<${key}>`,
    `%${key}`,
  ];
  for (const text of spellings) {
    assert.equal(keyIn(text), key, `keyIn(${JSON.stringify(text)})`);
  }
});

test("keyIn finds no key where there is none", () => {
  for (const text of ["", "#", key.slice(1), `${key}0`, "a".repeat(62), "../../etc/passwd"]) {
    assert.equal(keyIn(text), "", `keyIn(${JSON.stringify(text)})`);
  }
});

test("links have the key in the fragment", () => {
  assert.equal(secretLink("https://hush.example/", key), `https://hush.example/s#${key}`);
  assert.equal(secretLink("https://hush.example", key, "secrets.example"), `https://secrets.example/s#${key}`);
  assert.equal(receiptLink("https://hush.example", key), `https://hush.example/r#${key}`);
});

test("homeElsewhere returns the service's own address on other hosts", () => {
  assert.equal(homeElsewhere("https://secrets.example/", "drop.tenant.example"), "https://secrets.example");
  assert.equal(homeElsewhere("https://secrets.example:8443", "drop.tenant.example"), "https://secrets.example:8443");
  assert.equal(homeElsewhere("https://secrets.example:8443", "secrets.example"), "");
  assert.equal(homeElsewhere("", "secrets.example"), "");
});
