import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Bytes, joined, random } from "../src/endtoend/bytes";
import { open, seal } from "../src/endtoend/chunked";
import { ContentError, type ContentFault, sealContent } from "../src/endtoend/content";
import { context, type Header } from "../src/endtoend/header";
import { derive, type Keys } from "../src/endtoend/keys";
import { newSecret, parse } from "../src/endtoend/link";
import { openParts, type Parts } from "../src/endtoend/openparts";
import { type Body, partSize, sealParts, sizeOfParts } from "../src/endtoend/sealparts";
import { stretch } from "../src/endtoend/stretch";

const mebibyte = 1024 * 1024;
const newKeys = () => derive(newSecret(), "", stretch);
const fileOf = (size: number): Header => ({ kind: "file", fileName: "disk.img", mediaType: "text/plain", size });

/** noise returns bytes that look random, of which no two places are alike. */
function noise(length: number): Bytes {
  const parts = [];
  for (let left = length; left > 0; left -= 65_536) {
    parts.push(random(Math.min(left, 65_536)));
  }
  return joined(parts);
}

async function listed(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const list: Uint8Array[] = [];
  for await (const piece of pieces) {
    list.push(piece);
  }
  return list;
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Bytes> {
  return joined(await listed(pieces));
}

/** cut returns parts of bytes as a server does. */
function cut(bytes: Bytes, length: number): Parts {
  return function* (from) {
    for (let at = from * length; at < bytes.length; at += length) {
      yield bytes.subarray(at, at + length);
    }
  };
}

async function opened(keys: Keys, parts: Parts, length?: number, from?: number) {
  const { header, body } = await openParts(keys, parts, length);
  return { header, body: await all(body(from)) };
}

function failsWith(fault: ContentFault) {
  return (error: unknown) => error instanceof ContentError && error.fault === fault;
}

async function* pieces(body: Bytes, length: number): AsyncGenerator<Bytes> {
  for (let at = 0; at < body.length; at += length) {
    yield body.subarray(at, at + length);
  }
}

const sizes = [0, 1, 230, 16_000, 16_340, 16_368, 50_000, mebibyte - 40, mebibyte, 3 * mebibyte + 5];

test("parts in a row are the content that is encrypted as a whole", async () => {
  const keys = await newKeys();
  for (const size of sizes) {
    const body = noise(size);
    const header = fileOf(size);
    const salt = random(24);
    const plain = await open(keys.content, context, await sealContent(keys, { ...header, body }));
    const whole = await seal(keys.content, context, plain, salt);
    const middle = Math.floor(size / 3);
    const bodies: Body[] = [
      [new Blob([body])],
      [new Blob([body.slice(0, middle)]), new Blob(), new Blob([body.slice(middle)])],
      pieces(body, 10_007),
    ];
    for (const [i, length] of [partSize, 100_000, 16_400].entries()) {
      const parts = await listed(sealParts(keys, header, bodies[i]!, length, salt));
      assert.deepEqual(joined(parts), whole, `${size} bytes in parts of ${length}`);
      assert.ok(parts.every((part, n) => part.length === length || (n === parts.length - 1 && part.length > 0)));
      assert.equal(sizeOfParts(header), whole.length);
    }
  }
});

test("parts open, wherever they were cut and whatever came of them at a time", async () => {
  const keys = await newKeys();
  for (const size of sizes) {
    const body = noise(size);
    const header = fileOf(size);
    const whole = await all(sealParts(keys, header, [new Blob([body])]));
    for (const length of [16_400, 100_003, mebibyte, partSize]) {
      assert.deepEqual(await opened(keys, cut(whole, length), length), { header, body });
    }
    assert.deepEqual(await opened(keys, () => pieces(whole, 997)), { header, body });
  }
});

test("a body goes on at any place", async () => {
  const keys = await newKeys();
  const body = noise(3 * mebibyte + 77);
  const header = fileOf(body.length);
  const length = 300_000;
  const whole = await all(sealParts(keys, header, [new Blob([body])], length));
  for (const from of [0, 1, 16_000, 16_384, 400_000, mebibyte, 2 * mebibyte + 1, body.length - 1, body.length]) {
    const asked: number[] = [];
    const parts: Parts = (n) => {
      asked.push(n);
      return cut(whole, length)(n);
    };
    const got = await opened(keys, parts, length, from);
    assert.deepEqual(got, { header, body: body.subarray(from) }, `from ${from}`);
    const last = asked.at(-1) ?? 0;
    assert.ok(last * length <= from + 2000 + 16 * (from / 16_384 + 2), `from ${from}: got part ${last} first`);
  }
});

interface Vector {
  name: string;
  link: string;
  passphrase: string;
  file: boolean;
  fileName: string;
  mediaType: string;
  body: string | null;
  content: string;
}

test("contents of the server's language open part by part", async () => {
  const vectors: Vector[] = JSON.parse(readFileSync("../seal/endtoend/testdata/go.json", "utf8"));
  for (const { name, link, passphrase, file, fileName, mediaType, body, content } of vectors) {
    if (passphrase !== "") {
      continue; // endtoend.test.ts has those: argon2id takes a second each
    }
    const parsed = parse(link);
    assert.ok(typeof parsed === "object");
    const keys = await derive(parsed.secret, passphrase, stretch);
    const want = Uint8Array.from(Buffer.from(body ?? "", "base64"));
    const got = await opened(keys, cut(Uint8Array.from(Buffer.from(content, "base64")), 1000), 1000);
    const header = { kind: file ? "file" : "text", fileName, mediaType, size: want.length };
    assert.deepEqual(got, { header, body: want }, name);
  }
});

test("what is altered, cut, repeated or moved is refused, and nothing of it handed out", async () => {
  const keys = await newKeys();
  const body = noise(40_000);
  const whole = await all(sealParts(keys, fileOf(body.length), [new Blob([body])]));
  const flipped = (at: number) => {
    const spoiled = whole.slice();
    spoiled[at] = (spoiled[at] ?? 0) ^ 1;
    return spoiled;
  };
  const chunk = (k: number) => whole.subarray(56 + k * 16_400, 56 + (k + 1) * 16_400);
  const head = whole.subarray(0, 56);
  for (const spoiled of [
    ...[0, 24, 55, 56, 16_455, 16_456, 33_000, whole.length - 1].map(flipped),
    ...[0, 55, 56, 71, 72, 16_456, 16_471, 32_856, 32_900, whole.length - 1].map((at) => whole.slice(0, at)),
    joined([whole, Uint8Array.of(0)]),
    joined([head, chunk(1), chunk(0), chunk(2)]),
    joined([head, chunk(0), chunk(0), chunk(1), chunk(2)]),
    joined([head, chunk(0), chunk(2)]),
    joined([head, chunk(0), chunk(1), chunk(1), chunk(2)]),
  ]) {
    let handed: Bytes = new Uint8Array();
    await assert.rejects(async () => {
      const { body } = await openParts(keys, cut(spoiled, 10_000), 10_000);
      for await (const bytes of body()) {
        handed = joined([handed, bytes]);
      }
    }, failsWith("altered"));
    assert.deepEqual(handed, body.subarray(0, handed.length));
  }
  await assert.rejects(opened(await newKeys(), cut(whole, 10_000)), failsWith("altered"));
});

test("a file of several blocks hands out what is before the fault alone", async () => {
  const keys = await newKeys();
  const body = noise(3 * mebibyte);
  const whole = await all(sealParts(keys, fileOf(body.length), [new Blob([body])]));
  const spoiled = whole.slice();
  spoiled[56 + 100 * 16_400] = (spoiled[56 + 100 * 16_400] ?? 0) ^ 1;
  let handed = 0;
  await assert.rejects(async () => {
    for await (const bytes of (await openParts(keys, cut(spoiled, partSize))).body()) {
      assert.deepEqual(bytes, body.subarray(handed, handed + bytes.length));
      handed += bytes.length;
    }
  }, failsWith("altered"));
  assert.ok(handed > 0 && handed < 100 * 16_384);
});

test("what opens and is not what a device writes is refused", async () => {
  const keys = await newKeys();
  const good = [0, 0, 0, 4, 8, 1, 32, 5, 118, 97, 108, 117, 101];
  const made = (size: number, ...changes: readonly (readonly [number, number])[]) => {
    const bytes = new Uint8Array(size);
    bytes.set(good.slice(0, size));
    for (const [at, value] of changes) {
      bytes[at] = value;
    }
    return bytes;
  };
  const large = (size: number, ...changes: readonly (readonly [number, number])[]) => {
    const bytes = new Uint8Array(size);
    bytes.set([0, 0, 0, 6, 8, 1, 32, 0xc0, 0x84, 0x3d]); // 1,000,000 bytes and 10, padded to 1,015,808
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
    [made(0), "size"],
    [made(256, [13, 1]), "size"],
    [made(256, [255, 1]), "size"],
    [made(256, [1, 1]), "header"],
    [made(256, [5, 9]), "header"],
    [made(256, [4, 255]), "header"],
    [large(1_015_807), "size"],
    [large(1_015_809), "size"],
    [large(2_000_000), "size"],
    [large(900_000), "size"],
    [large(1_015_808, [1_000_010, 1]), "size"],
    [large(1_015_808, [1_015_807, 128]), "size"],
  ] as const) {
    const sealed = await seal(keys.content, context, bytes);
    await assert.rejects(opened(keys, cut(sealed, 1000), 1000), failsWith(fault), `${bytes.length} bytes: ${fault}`);
  }
  const sealed = await seal(keys.content, context, large(1_015_808));
  assert.equal((await opened(keys, cut(sealed, 1000), 1000)).body.length, 1_000_000);
});

test("a body that became shorter or longer is noticed", async () => {
  const keys = await newKeys();
  const body = noise(50_000);
  const bodies = (): Body[] => [[new Blob([body])], pieces(body, 1000)];
  for (const size of [0, 49_999, 50_001, 100_000]) {
    for (const given of bodies()) {
      await assert.rejects(all(sealParts(keys, fileOf(size), given)), failsWith("size"), `${size} bytes`);
    }
  }
  // A file on the disk that got shorter while it was read.
  const shorter = new Blob([body]);
  Object.defineProperty(shorter, "slice", { value: () => new Blob([body.slice(0, 100)]) });
  await assert.rejects(all(sealParts(keys, fileOf(50_000), [shorter])), failsWith("size"));
  const gone = new Blob([body]);
  const error = new DOMException("gone", "NotReadableError");
  Object.defineProperty(gone, "slice", { value: () => ({ arrayBuffer: () => Promise.reject(error) }) });
  await assert.rejects(all(sealParts(keys, fileOf(50_000), [gone])), error);
});

test("names that could deceive are not written", async () => {
  const keys = await newKeys();
  for (const fileName of ["a/b", "..", "a\u0007", "gpj.\u202eexe", "x".repeat(256), "\ud800"]) {
    const header = { ...fileOf(1), fileName };
    await assert.rejects(all(sealParts(keys, header, [new Blob(["x"])])), failsWith("header"));
    assert.throws(() => sizeOfParts(header), failsWith("header"));
  }
  for (const size of [-1, 0.5, Number.NaN, 2 ** 51]) {
    assert.throws(() => sizeOfParts(fileOf(size)), failsWith("header"));
  }
});

test("nothing is read ahead of what is asked for, and nothing read or encrypted twice", async (t) => {
  const keys = await newKeys();
  let read = 0;
  async function* body() {
    for (let i = 0; i < 64; i++) {
      read += mebibyte;
      yield new Uint8Array(mebibyte).fill(i);
    }
  }
  const nonces: string[] = [];
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle);
  t.mock.method(crypto.subtle, "encrypt", (algorithm: AesGcmParams, key: CryptoKey, bytes: BufferSource) => {
    nonces.push(Buffer.from(algorithm.iv as Uint8Array).toString("hex"));
    return encrypt(algorithm, key, bytes);
  });
  let sent = 0;
  for await (const part of sealParts(keys, fileOf(64 * mebibyte), body())) {
    sent += part.length;
    assert.ok(read <= sent + 4 * mebibyte, `got ${read} bytes read for ${sent} sent`);
  }
  assert.equal(sent, sizeOfParts(fileOf(64 * mebibyte)));
  assert.equal(nonces.length, Math.ceil((sent - 56) / 16_400));
  assert.equal(new Set(nonces).size, nonces.length);
});

test("who stops lets go of the file, and of the parts that are left", async () => {
  const keys = await newKeys();
  const released: string[] = [];
  async function* body() {
    try {
      for (;;) {
        yield new Uint8Array(mebibyte);
      }
    } finally {
      released.push("body");
    }
  }
  for await (const _ of sealParts(keys, fileOf(64 * mebibyte), body())) {
    break;
  }
  const whole = await all(sealParts(keys, fileOf(5 * mebibyte), [new Blob([noise(5 * mebibyte)])]));
  async function* parts() {
    try {
      yield* pieces(whole, 100_000);
    } finally {
      released.push("parts");
    }
  }
  for await (const _ of (await openParts(keys, parts)).body()) {
    break;
  }
  await assert.rejects(openParts(await newKeys(), parts), ContentError);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(released, ["body", "parts", "parts"]);
});

test("the error of the parts comes through", async () => {
  const keys = await newKeys();
  const whole = await all(sealParts(keys, fileOf(5 * mebibyte), [new Blob([noise(5 * mebibyte)])]));
  const error = new Error("the line broke");
  async function* broken(bytes: Bytes) {
    yield bytes;
    throw error;
  }
  await assert.rejects(
    opened(keys, () => broken(whole.subarray(0, 50))),
    error,
  );
  await assert.rejects(
    opened(keys, () => broken(whole.subarray(0, 2 * mebibyte))),
    error,
  );
});
