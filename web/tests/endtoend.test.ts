import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type Bytes, equal, joined } from "../src/endtoend/bytes";
import { ChunkedError, open, seal } from "../src/endtoend/chunked";
import { type Content, ContentError, openContent, padded, sealContent } from "../src/endtoend/content";
import { derive, type Keys, linkProof, PassphraseError } from "../src/endtoend/keys";
import { fragment, newSecret, parse } from "../src/endtoend/link";
import { stretch } from "../src/endtoend/stretch";

const vectorsOfFormat = JSON.parse(readFileSync("../seal/chunked/testdata/cobblestone-256.json", "utf8"));
const fromHex = (text: string): Bytes => Uint8Array.from(Buffer.from(text, "hex"));
const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const nothing = new Uint8Array();

function counted(length: number): Bytes {
  const parts: Uint8Array[] = [];
  for (let i = 0; i * 32 < length; i++) {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(i));
    parts.push(createHash("sha256").update(number).digest());
  }
  return joined(parts).slice(0, length);
}

const key = fromHex(vectorsOfFormat.key);
const salt = fromHex(vectorsOfFormat.salt);

test("chunked messages are those of the valid vectors", async () => {
  for (const vector of vectorsOfFormat.valid) {
    const message = vector.message === "zeros" ? new Uint8Array(vector.messageLength) : counted(vector.messageLength);
    const sealed = await seal(key, fromHex(vector.context), message, salt);
    assert.equal(sealed.length, vector.ciphertextLength, vector.name);
    assert.equal(digest(sealed), vector.ciphertextSHA256, vector.name);
    assert.ok(equal(await open(key, fromHex(vector.context), sealed), message), vector.name);
  }
});

test("the invalid vectors are refused with their faults", async () => {
  const header = 56;
  const chunk = 16_400;
  const good = await seal(key, nothing, counted(2 * 16_384 + 5), salt);
  const flipped = (at: number) => {
    const spoiled = good.slice();
    spoiled[at] = (spoiled[at] ?? 0) ^ 1;
    return spoiled;
  };
  const first = good.slice(header, header + chunk);
  const second = good.slice(header + chunk, header + 2 * chunk);
  const last = good.slice(header + 2 * chunk);
  const spoiled: Record<string, Bytes> = {
    "flipped salt": flipped(3),
    "flipped commitment": flipped(30),
    "flipped first chunk": flipped(header + 4),
    "flipped second chunk": flipped(header + chunk + 9),
    "flipped last tag": flipped(good.length - 1),
    "no last chunk": good.slice(0, header + 2 * chunk),
    "last chunk below a tag": good.slice(0, header + 2 * chunk + 15),
    "cut in the second chunk": good.slice(0, header + chunk + 100),
    "header only": good.slice(0, header),
    "55 bytes": good.slice(0, 55),
    nothing,
    "chunks swapped": joined([good.slice(0, header), second, first, last]),
    "first chunk twice": joined([good.slice(0, header), first, first, last]),
    "trailing byte": joined([good, Uint8Array.of(0)]),
    "wrong context": await seal(key, new TextEncoder().encode("other"), counted(5), salt),
  };
  for (const { name, fault, ciphertextSHA256 } of vectorsOfFormat.invalid) {
    const bytes = spoiled[name];
    assert.ok(bytes, `the test does not know how to make ${name}`);
    assert.equal(digest(bytes), ciphertextSHA256, name);
    await assert.rejects(
      open(key, nothing, bytes),
      (error) => error instanceof ChunkedError && error.fault === fault,
      name,
    );
  }
});

test("a link has one spelling", () => {
  const secretKey = "0123456789abcdefghijklmnopqrstu";
  for (let i = 0; i < 200; i++) {
    const secret = newSecret();
    const text = fragment({ key: secretKey, secret });
    assert.match(text, /^[0-9a-zA-Z]{74}$/);
    assert.deepEqual(parse(text), { key: secretKey, secret });
  }
  const largest = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1";
  const beyond = "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp2";
  assert.deepEqual(parse(secretKey + largest), { key: secretKey, secret: new Uint8Array(32).fill(255) });
  for (const [text, want] of [
    ["", "incomplete"],
    [secretKey, "incomplete"],
    [`${secretKey}${largest}0`, "incomplete"],
    [secretKey + beyond, "wrong"],
    [`${secretKey}${"-".repeat(43)}`, "wrong"],
    [`${secretKey.toUpperCase()}${largest}`, "wrong"],
  ] as const) {
    assert.equal(parse(text), want, text);
  }
});

/** Vector is a content that one implementation wrote and the other one reads. */
interface Vector {
  name: string;
  link: string;
  passphrase: string;
  linkProof: string;
  proof: string;
  contentKey: string;
  file: boolean;
  fileName: string;
  mediaType: string;
  body: string | null;
  content: string;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const fromBase64 = (text: string | null): Bytes => Uint8Array.from(Buffer.from(text ?? "", "base64"));
const read = (name: string): Vector[] => JSON.parse(readFileSync(`../seal/endtoend/testdata/${name}.json`, "utf8"));

function keysOf({ link, passphrase }: Vector): Promise<Keys> {
  const parsed = parse(link);
  assert.ok(typeof parsed === "object");
  return derive(parsed.secret, passphrase, stretch);
}

function contentOf({ file, fileName, mediaType, body }: Vector): Content {
  return { kind: file ? "file" : "text", fileName, mediaType, body: fromBase64(body) };
}

test("vectors for the server's language are written anew on request", {
  skip: !process.env.UPDATE_VECTORS,
}, async () => {
  const vectors: Vector[] = [];
  for (const vector of read("go")) {
    const link = fragment({ key: vector.link.slice(0, 31), secret: newSecret() });
    const keys = await keysOf({ ...vector, link });
    const content = base64(await sealContent(keys, contentOf(vector)));
    const { linkProof, proof, content: contentKey } = keys;
    vectors.push({
      ...vector,
      link,
      linkProof: base64(linkProof),
      proof: base64(proof),
      contentKey: base64(contentKey),
      content,
    });
  }
  writeFileSync("../seal/endtoend/testdata/browser.json", `${JSON.stringify(vectors, null, 1)}\n`);
});

test("contents from both implementations open", async () => {
  for (const file of ["go", "browser"]) {
    for (const vector of read(file)) {
      const keys = await keysOf(vector);
      assert.equal(base64(keys.linkProof), vector.linkProof, vector.name);
      assert.equal(base64(keys.proof), vector.proof, vector.name);
      assert.equal(base64(keys.content), vector.contentKey, vector.name);
      assert.deepEqual(
        await openContent(keys, fromBase64(vector.content)),
        contentOf(vector),
        `${file}: ${vector.name}`,
      );
    }
  }
});

const keysFor = (passphrase = "") => derive(newSecret(), passphrase, stretch);
const text = (body: string): Content => ({
  kind: "text",
  fileName: "",
  mediaType: "",
  body: new TextEncoder().encode(body),
});

test("an altered content is refused, wherever it is altered", async () => {
  const keys = await keysFor();
  const sealed = await sealContent(keys, text("value"));
  for (let at = 0; at < sealed.length; at++) {
    const spoiled = sealed.slice();
    spoiled[at] = (spoiled[at] ?? 0) ^ 1;
    await assert.rejects(
      openContent(keys, spoiled),
      (error) => error instanceof ContentError && error.fault === "altered",
    );
    await assert.rejects(openContent(keys, sealed.slice(0, at)), ContentError);
  }
  await assert.rejects(
    openContent(await keysFor(), sealed),
    (error) => error instanceof ContentError && error.fault === "altered",
  );
});

test("what opens and is not what a device writes is refused", async () => {
  const keys = await keysFor();
  const good = [0, 0, 0, 4, 8, 1, 32, 5, 118, 97, 108, 117, 101];
  const made = (size: number, ...changes: readonly (readonly [number, number])[]) => {
    const bytes = new Uint8Array(size);
    bytes.set(good.slice(0, size));
    for (const [at, value] of changes) {
      bytes[at] = value;
    }
    return bytes;
  };
  for (const [bytes, fault] of [
    [made(255), "size"],
    [made(257), "size"],
    [made(13), "size"],
    [made(6), "size"],
    [made(3), "size"],
    [made(256, [13, 1]), "size"],
    [made(256, [255, 1]), "size"],
    [made(256, [1, 1]), "header"],
    [made(256, [5, 9]), "header"],
    [made(256, [4, 255]), "header"],
  ] as const) {
    const sealed = await seal(keys.content, new TextEncoder().encode("hush.v1 content"), bytes);
    await assert.rejects(
      openContent(keys, sealed),
      (error) => error instanceof ContentError && error.fault === fault,
      `${bytes.length} bytes: ${fault}`,
    );
  }
});

test("names that could deceive are neither written nor read", async () => {
  const keys = await keysFor();
  for (const fileName of ["a/b", "a\\b", "..", "a\u0007", "gpj.\u202eexe", "a\u2028b", "x".repeat(256), "\ud800"]) {
    const content: Content = { kind: "file", fileName, mediaType: "", body: nothing };
    await assert.rejects(
      sealContent(keys, content),
      (error) => error instanceof ContentError && error.fault === "header",
    );
  }
});

test("a passphrase is the same however it is composed, and half a character is none", async () => {
  const secret = newSecret();
  const composed = await derive(secret, "caf\u00e9", stretch);
  const decomposed = await derive(secret, "cafe\u0301", stretch);
  assert.deepEqual(composed, decomposed);
  assert.deepEqual(composed.linkProof, await linkProof(secret));
  await assert.rejects(derive(secret, "a\ud83d", stretch), PassphraseError);
});

test("lengths are padded as the server's limits expect", () => {
  for (const [length, want] of [
    [0, 256],
    [256, 256],
    [257, 272],
    [102_410, 104_448],
    [1_048_586, 1_081_344],
  ] as const) {
    assert.equal(padded(length), want);
  }
});

test("lengths are padded as the server's language does, up to the largest integer", () => {
  const lengths: [number, number][] = JSON.parse(readFileSync("../seal/endtoend/testdata/padded.json", "utf8"));
  assert.equal(lengths.at(-1)?.[0], Number.MAX_SAFE_INTEGER);
  for (const [length, want] of lengths) {
    assert.equal(padded(length), want, `${length}`);
  }
});
