import assert from "node:assert/strict";
import { test } from "node:test";
import { endToEndIn, homeElsewhere, keyIn, mended, plainLink, receiptLink, reportedKey, secretLink } from "../src/link";
import { hostIn, isTooLong } from "../src/open/pasted";
import { placeOf } from "../src/open/placeof";

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

const whole = `${key}m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV`;

test("endToEndIn finds the run of an end-to-end link in a mangled one", () => {
  const spellings = [
    whole,
    `  ${whole}\n`,
    `https://hush.example/e#${whole}`,
    `<https://hush.example/e#${whole}>.`,
    `https://hush.example/e%23${whole}`,
    `https://hush.example/e%2523${whole}%253Futm_source%253Dx`,
    `#${whole}?utm_source=mail`,
    `#${whole}%20`,
    `https://hush.example/e#${whole}\r\nThank you`,
    `${whole.slice(0, 40)}\r\n${whole.slice(40)}`,
    `${whole.slice(0, 40)}\u200b${whole.slice(40)}`,
  ];
  for (const text of spellings) {
    assert.equal(endToEndIn(text), whole, `endToEndIn(${JSON.stringify(text)})`);
    assert.equal(keyIn(text), "", `keyIn(${JSON.stringify(text)})`);
    assert.equal(placeOf(text), `/e#${whole}`, `placeOf(${JSON.stringify(text)})`);
  }
  assert.equal(keyIn(`${key}M${whole.slice(32)}`), "", "the key of a longer run");
  for (const text of ["", key, whole.slice(1), `${whole}0`, `https://hush.example/s#${key}`]) {
    assert.equal(endToEndIn(text), "", `endToEndIn(${JSON.stringify(text)})`);
  }
});

test("reportedKey finds the key of either kind, and leaves the secret part on the device", () => {
  for (const text of [
    key,
    `https://hush.example/s#${key}.`,
    `<https://hush.example/e#${whole}>`,
    `/e%2523${whole}`,
    whole,
  ]) {
    assert.equal(reportedKey(text), key, `reportedKey(${JSON.stringify(text)})`);
  }
  for (const text of ["", `https://hush.example/e#${whole.slice(1)}`, `${whole}0`]) {
    assert.equal(reportedKey(text), "", `reportedKey(${JSON.stringify(text)})`);
  }
});

test("placeOf leads to the page of the link's kind, and nowhere with a part of one", () => {
  assert.equal(placeOf(` https://hush.example/s#${key}. `), `/s#${key}`);
  assert.equal(placeOf(`https://hush.example/secret/${key}`), `/s#${key}`);
  assert.equal(placeOf(`https://hush.example/e#${key}`), "");
  assert.equal(placeOf(`https://hush.example/e%23${key}`), "");
  assert.equal(placeOf(`https://hush.example/e#${whole.slice(0, 60)}`), "");
  assert.equal(placeOf("nothing"), "");
  for (const page of ["q", "c"] as const) {
    for (const text of [
      `See https://hush.example/${page}#${whole}.`,
      `https://hush.example/${page}%23${whole}`,
      `<https://hush.example/${page}#${whole.slice(0, 40)}\r\n${whole.slice(40)}>`,
      `https://gateway.example/?url=https%3A%2F%2Fhush.example%2F${page}%2523${whole}`,
      `https://hush.example/e#${key} and https://hush.example/${page}#${whole}`,
    ]) {
      assert.equal(placeOf(text), `/${page}#${whole}`, text);
    }
    assert.equal(placeOf(whole, page), `/${page}#${whole}`);
    assert.equal(placeOf(`https://hush.example/e#${whole}`, page), `/e#${whole}`);
    assert.equal(placeOf(`https://hush.example/${page}#${key}`), "");
  }
});

test("hostIn names the host that a pasted link leads to", () => {
  for (const text of [
    `https://evil.example/e#${whole}`,
    `See <HTTPS://Evil.example:8443/e%23${whole}>.`,
    `https://hush.example and https://evil.example/s#${key}`,
    `https://gateway.example/?url=https%3A%2F%2Fevil.example%2Fe%2523${whole}`,
    `https://hush.example@evil.example/secret/${key}`,
    `evil.example/e#${whole}`,
    `https://evil.example/e#${whole.slice(0, 40)}\r\n${whole.slice(40)}`,
  ]) {
    assert.equal(hostIn(text), "evil.example", text);
  }
  for (const text of ["", "nothing", key, whole, ` ${whole}. `, `/e#${whole}`, `Open it. ${whole}`, "https://:x/"]) {
    assert.equal(hostIn(text), "", text);
  }
});

test("only a run that is longer than a link is too long", () => {
  assert.ok(isTooLong(`${whole}0`) && isTooLong(`https://hush.example/e%23${whole}0`));
  assert.ok(!isTooLong(whole) && !isTooLong(`${key} ${whole}`) && !isTooLong(`${whole}%20and`));
});

test("a link whose # was escaped is mended", () => {
  assert.equal(mended(`/e%23${whole}`), `/e#${whole}`);
  assert.equal(mended(`/e%2523${whole}`), `/e#${whole}`);
  assert.equal(mended(`/e%252523${whole}`), `/e#${whole}`);
  assert.equal(mended(`/e%2523${whole}%253Fx`), `/e#${whole}`);
  assert.equal(mended(`/s%23${key}`), `/s#${key}`);
  assert.equal(mended(`/s%2523${key}`), `/s#${key}`);
  assert.equal(mended(`/s%23${whole}`), `/e#${whole}`, "a run of 74 is an end-to-end link");
  assert.equal(mended("/e%23short"), "/e#short");
  for (const path of ["/", "/e", "/s", "/e%23", `/secret/${key}`, `/x%23${key}`, `/e/%23${key}`, "/e%2"]) {
    assert.equal(mended(path), "", path);
  }
});

test("links have the key in the fragment", () => {
  assert.equal(secretLink("https://hush.example/", key), `https://hush.example/s#${key}`);
  assert.equal(secretLink("https://hush.example", key, "secrets.example"), `https://secrets.example/s#${key}`);
  assert.equal(plainLink("https://hush.example/", key), `https://hush.example/secret/${key}`);
  assert.equal(plainLink("https://hush.example", key, "secrets.example"), `https://secrets.example/secret/${key}`);
  assert.equal(receiptLink("https://hush.example", key), `https://hush.example/r#${key}`);
});

test("homeElsewhere returns the service's own address on other hosts", () => {
  assert.equal(homeElsewhere("https://secrets.example/", "drop.tenant.example"), "https://secrets.example");
  assert.equal(homeElsewhere("https://secrets.example:8443", "drop.tenant.example"), "https://secrets.example:8443");
  assert.equal(homeElsewhere("https://secrets.example:8443", "secrets.example"), "");
  assert.equal(homeElsewhere("", "secrets.example"), "");
});
