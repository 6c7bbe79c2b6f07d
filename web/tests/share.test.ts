import assert from "node:assert/strict";
import { test } from "node:test";
import { unzipSync } from "fflate";
import { Encryption } from "../src/contract";
import { openContent } from "../src/endtoend/content";
import { derive, proofHash } from "../src/endtoend/keys";
import { parse } from "../src/endtoend/link";
import { stretch } from "../src/endtoend/stretch";
import type { Account } from "../src/gen/hush/v1/account_pb";
import type { GetPolicyResponse } from "../src/gen/hush/v1/system_service_pb";
import { account, policy } from "../src/session";
import { archive } from "../src/share/archive";
import { empty, lifetimeOf, type SharedFile, type Whole } from "../src/share/draft";
import { cleanName, cleanType, distinct } from "../src/share/filename";
import { kindOf, kinds } from "../src/share/kind";
import { secondsIn } from "../src/share/lifetime";
import { seal } from "../src/share/seal";
import { stillTime } from "../src/share/still";

// Texts ask for the browser's languages, and a catalogue that is loaded names the document's.
Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] }, configurable: true });
Object.defineProperty(globalThis, "document", { value: { documentElement: {} }, configurable: true });
const { check, checkLifetime } = await import("../src/share/check");
const { chosen, FilesError, refused } = await import("../src/share/files");

const key = "0123456789abcdefghijklmnopqrstu";
const bytesOf = (text: string) => new TextEncoder().encode(text);
const file = (part: Partial<SharedFile> = {}): SharedFile => ({
  name: "notes.txt",
  type: "text/plain",
  body: bytesOf("notes"),
  ...part,
});

/** withPolicy sets the policy, of a visitor without an account, until fn has returned. */
async function withPolicy(part: Partial<GetPolicyResponse>, fn: () => void | Promise<void>): Promise<void> {
  policy.value = part as GetPolicyResponse;
  account.value = null;
  try {
    await fn();
  } finally {
    policy.value = undefined;
    account.value = undefined;
  }
}

/** opened opens what a link and a passphrase open. */
async function opened(link: string, passphrase: string, sealed: Uint8Array<ArrayBuffer>) {
  const parsed = parse(new URL(link).hash.slice(1));
  assert.ok(typeof parsed === "object", link);
  return openContent(await derive(parsed.secret, passphrase, stretch), sealed);
}

test("a sealed draft opens with its link and its passphrase, and with nothing else", async () => {
  const draft: Whole = { ...empty, text: "e2e secret äöü", passphrase: "cafe\u0301", domain: "secrets.example" };
  const { sealed, linkOf } = await seal(draft, undefined, stretch);
  const link = linkOf("https://hush.example/", key);
  assert.match(link, /^https:\/\/secrets\.example\/e#[0-9A-Za-z]{74}$/);
  assert.equal(parse(new URL(link).hash.slice(1)) && new URL(link).hash.slice(1, 32), key);
  assert.equal(sealed.hasPassphrase, true);
  const content = await opened(link, "caf\u00e9", sealed.content);
  assert.deepEqual([content.kind, new TextDecoder().decode(content.body)], ["text", "e2e secret äöü"]);
  await assert.rejects(opened(link, "", sealed.content));

  const { secret } = parse(new URL(link).hash.slice(1)) as { secret: Uint8Array<ArrayBuffer> };
  const keys = await derive(secret, "caf\u00e9", stretch);
  assert.deepEqual(sealed.linkProofHash, await proofHash(keys.linkProof));
  assert.deepEqual(sealed.proofHash, await proofHash(keys.proof));
});

test("each sealing draws another secret", async () => {
  const links = await Promise.all(
    [1, 2, 3].map(async () => (await seal({ ...empty, text: "x" })).linkOf("https://hush.example", key)),
  );
  assert.equal(new Set(links).size, 3);
});

test("what is no key of a secret gives no link", async () => {
  const { linkOf } = await seal({ ...empty, text: "x" });
  for (const wrong of ["", key.slice(1), `${key}0`, key.toUpperCase(), `${key.slice(1)}/`]) {
    assert.equal(linkOf("https://hush.example", wrong), "", wrong);
  }
});

test("a file is sealed with its name and its type", async () => {
  const { sealed, linkOf } = await seal({ ...empty, text: "not shared", file: file() });
  assert.equal(sealed.hasPassphrase, false);
  assert.deepEqual(await opened(linkOf("https://hush.example", key), "", sealed.content), {
    kind: "file",
    fileName: "notes.txt",
    mediaType: "text/plain",
    body: bytesOf("notes"),
  });
});

test("names are those that the format takes, and keep their ending", () => {
  for (const [name, want] of [
    ["notes.txt", "notes.txt"],
    ["", "file"],
    ["..", "file"],
    ["a/b\\c.txt", "a_b_c.txt"],
    ["gpj.\u202eexe", "gpj._exe"],
    ["a\u0000b\u2028c\ud800", "a_b_c_"],
    [".bashrc", ".bashrc"],
    [`${"ä".repeat(200)}.tar`, `${"ä".repeat(125)}.tar`],
    [`${"😀".repeat(100)}`, "😀".repeat(63)],
    [`x.${"y".repeat(300)}`, `x.${"y".repeat(253)}`],
  ] as const) {
    assert.equal(cleanName(name), want, JSON.stringify(name));
  }
});

// Each name that cleanName returns must be one that sealContent writes.
test("every clean name can be sealed", async () => {
  for (const name of ["a/b", "..", "\u202e", `${"\ud83d\ude00".repeat(200)}.x`, "x".repeat(400), "\ud800.\udfff"]) {
    await seal({ ...empty, file: file({ name: cleanName(name) }) });
    assert.ok(bytesOf(cleanName(name)).length <= 255, name);
  }
});

test("media types that the format refuses are left out", () => {
  assert.equal(cleanType("image/png"), "image/png");
  assert.equal(cleanType("text/plain;charset=utf-8"), "text/plain;charset=utf-8");
  for (const type of ["", "a b", "x".repeat(128), "text/\u202e"]) {
    assert.equal(cleanType(type), "", type);
  }
});

test("files of an archive keep apart, also where case does not count", () => {
  assert.deepEqual(distinct(["a.txt", "A.txt", "a.txt", "b", "b"]), ["a.txt", "A (2).txt", "a (3).txt", "b", "b (2)"]);
  const long = distinct([`${"x".repeat(300)}.txt`, `${"x".repeat(300)}.txt`]);
  assert.equal(new Set(long).size, 2);
  assert.ok(long.every((name) => name.length <= 255 && name.endsWith(".txt")));
});

test("an archive holds the files whenever they changed", () => {
  const packed = archive([
    { name: "a.txt", body: bytesOf("a".repeat(5000)), modified: 0 },
    { name: "ä.bin", body: Uint8Array.of(0, 255), modified: Date.UTC(2300, 0, 1) },
  ]);
  assert.ok(packed.length < 1000, "text is compressed");
  assert.deepEqual(unzipSync(packed), { "a.txt": bytesOf("a".repeat(5000)), "ä.bin": Uint8Array.of(0, 255) });
});

test("an archive loses no file to its name", () => {
  const names = distinct(["__proto__", "0", "constructor", "a.txt"]);
  const packed = archive(names.map((name, i) => ({ name, body: Uint8Array.of(i), modified: 0 })));
  assert.deepEqual(
    Object.values(unzipSync(packed)).map(([byte]) => byte),
    [1, 0, 2, 3],
  );
});

test("a chosen file has exactly its sources, and is read again after it failed", async () => {
  const [a, b] = [new File(["e2e secret one"], "a.txt"), new File(["e2e secret two"], "b.txt")];
  assert.equal(chosen([]), undefined);
  const one = chosen([a]);
  assert.deepEqual([one?.name, one?.packed, await one?.body()], ["a.txt", [], bytesOf("e2e secret one")]);
  const both = chosen([a, b]);
  assert.deepEqual([both?.name, both?.packed], ["files.zip", ["a.txt", "b.txt"]]);
  const body = await both?.body();
  assert.deepEqual(unzipSync(body!), { "a.txt": bytesOf("e2e secret one"), "b.txt": bytesOf("e2e secret two") });
  assert.equal(await both?.body(), body, "it is read once");

  const gone = new File(["e2e secret"], "gone.txt");
  let reads = 0;
  Object.defineProperty(gone, "arrayBuffer", { value: async () => (reads++ === 0 ? Promise.reject(0) : bytesOf("x")) });
  const failed = chosen([gone]);
  await assert.rejects(() => failed!.body(), FilesError);
  assert.deepEqual([await failed?.body(), reads], [bytesOf("x"), 2]);
});

test("files that are too large by their sizes are refused before they are read", async () => {
  await withPolicy({ anonymousSecret: 100n, encryptions: [] }, async () => {
    const sized = (size: number) => Object.defineProperty(new File([], "a.txt"), "size", { value: size });
    assert.equal(refused([sized(100)]), "");
    assert.match(refused([sized(101)]), /101/);
    assert.equal(refused([sized(101), sized(101)]), "", "packed, they may fit");
    assert.match(refused([sized(1), sized(64 << 20)]), /^These 2 files/);
    await assert.rejects(() => chosen([sized(101)])!.body(), FilesError);
  });
});

test("a draft is held to the limits of what it shares", async () => {
  await withPolicy({ anonymousSecret: 100n, passphraseMin: 4, encryptions: [] }, () => {
    const textOf = (draft: Partial<Whole>) => check({ ...empty, text: "x", ...draft }, "end_to_end");
    assert.deepEqual(textOf({}), {});
    assert.deepEqual(textOf({ text: "x".repeat(100) }), {});
    assert.equal(textOf({ text: "ä".repeat(51) }).field, "secret");
    assert.equal(textOf({ text: "" }).field, "secret");
    assert.equal(textOf({ text: "half \ud83d" }).field, "secret");
    assert.equal(textOf({ passphrase: "half \ud83d" }).field, "passphrase");
    assert.equal(check({ ...empty, text: "x", recipients: "half \ud83d" }, "server").field, "recipients");
    assert.deepEqual(textOf({ text: "", file: file({ body: new Uint8Array(100) }) }), {});
    assert.equal(textOf({ file: file({ body: new Uint8Array(101) }) }).field, "form");
    assert.equal(check({ ...empty, file: file() }, "server").field, "form");
  });
});

test("no limit is told before it is known whether a person has an account", async () => {
  await withPolicy({ anonymousSecret: 100n, encryptions: [] }, () => {
    const refused = () => check({ ...empty, text: "x".repeat(101) }, "end_to_end").field;
    assert.equal(refused(), "secret");
    account.value = undefined;
    assert.equal(refused(), undefined);
    account.value = { secretLimit: 101n } as Account;
    assert.equal(refused(), undefined);
    account.value = { secretLimit: 100n } as Account;
    assert.equal(refused(), "secret");
    policy.value = undefined;
    assert.equal(refused(), "secret");
  });
});

test("limits of a passphrase are those of its composed form", async () => {
  await withPolicy({ passphraseMin: 4, encryptions: [] }, () => {
    const refused = (passphrase: string) => check({ ...empty, text: "x", passphrase }, "end_to_end").field;
    assert.equal(refused(""), undefined);
    assert.equal(refused("cafe"), undefined);
    assert.equal(refused("cafe\u0301".slice(2)), "passphrase", "two characters, one of them decomposed");
    assert.equal(refused("e\u0301".repeat(128)), undefined);
    assert.equal(refused("e\u0301".repeat(129)), "passphrase");
    assert.equal(refused("😀".repeat(128)), undefined);
    assert.equal(refused("half \ud83d"), "passphrase");
  });
  await withPolicy({ passphraseRequired: true, encryptions: [] }, () => {
    assert.equal(check({ ...empty, text: "x" }, "end_to_end").field, "passphrase");
  });
});

test("the kind is the better one of those that are possible, unless one was chosen", async () => {
  const both = [Encryption.server, Encryption.end_to_end];
  await withPolicy({ encryptions: both }, () => {
    assert.deepEqual(kinds(), ["end_to_end", "server"]);
    assert.equal(kindOf(undefined), "end_to_end");
    assert.equal(kindOf("server"), "server");
  });
  await withPolicy({ encryptions: [Encryption.end_to_end] }, () => assert.equal(kindOf("server"), "end_to_end"));
  await withPolicy({ encryptions: [Encryption.server] }, () => assert.equal(kindOf("end_to_end"), "server"));

  const { crypto } = globalThis;
  Object.defineProperty(globalThis, "crypto", { value: {}, configurable: true });
  try {
    await withPolicy({ encryptions: both }, () => assert.equal(kindOf("end_to_end"), "server"));
    await withPolicy({ encryptions: [Encryption.end_to_end] }, () => assert.equal(kindOf(undefined), undefined));
  } finally {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
  }
});

test("a written lifetime is a whole number of a unit, within the policy", async () => {
  for (const [count, unit, want] of [
    ["90", "minute", 5400],
    [" 012 ", "hour", 43200],
    ["\uff13", "day", 259200],
    ["\u0661\u0662", "hour", 43200],
    ["\u06f9", "minute", 540],
  ] as const) {
    assert.equal(secondsIn({ count, unit }), want, count);
    assert.equal(lifetimeOf({ ...empty, ttl: 300, custom: { count, unit } }).seconds, BigInt(want));
  }
  for (const count of ["", "0", "-1", "1.5", "1e3", "1,000", "0x10", "9999999999", "\u0663x"]) {
    assert.equal(checkLifetime({ count, unit: "hour" }), "Enter a whole number, 1 or more.", count);
    assert.equal(check({ ...empty, text: "x", custom: { count, unit: "hour" } }, "server").field, "ttl");
  }
  await withPolicy({ anonymousTtl: 7200n }, () => {
    assert.equal(checkLifetime({ count: "2", unit: "hour" }), "");
    assert.equal(checkLifetime({ count: "120", unit: "minute" }), "");
    assert.equal(checkLifetime({ count: "121", unit: "minute" }), "2 hours at most.");
    assert.equal(checkLifetime({ count: "1", unit: "day" }), "2 hours at most.");
  });
});

test("a label with half of a character is refused", () => {
  assert.deepEqual(check({ ...empty, text: "x", memo: "for \ud83e" }, "server"), {
    field: "memo",
    text: "This isn't valid text: one of its characters is incomplete.",
  });
});

test("what the system took gets the time that it needs to leave on the slowest line", () => {
  assert.equal(stillTime(0, 0), 20_000);
  assert.equal(stillTime(0, 60_000), 20_000);
  // 256 KiB taken at once take 64 s at 4 KiB a second.
  assert.equal(stillTime(256 << 10, 0), 84_000);
  assert.equal(stillTime(256 << 10, 30_000), 54_000);
  assert.equal(stillTime(256 << 10, 70_000), 20_000);
});
