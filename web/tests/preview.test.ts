import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type Bytes, encoded } from "../src/endtoend/bytes";
import { seal } from "../src/endtoend/chunked";
import { ContentError, type ContentFault, openContent } from "../src/endtoend/content";
import { derive, previewKey } from "../src/endtoend/keys";
import { fragment, newSecret, parse } from "../src/endtoend/link";
import { isNote, noteMax, openPreview, type Preview, sealPreview } from "../src/endtoend/preview";
import { stretch } from "../src/endtoend/stretch";

/** Vector is a preview that one implementation wrote and the other one reads. */
interface Vector {
  name: string;
  link: string;
  previewKey: string;
  file: boolean;
  fileName: string;
  size: number;
  count: number;
  note: string;
  preview: string;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const fromBase64 = (text: string): Bytes => Uint8Array.from(Buffer.from(text, "base64"));
const read = (name: string): Vector[] =>
  JSON.parse(readFileSync(`../seal/endtoend/testdata/preview-${name}.json`, "utf8"));

function previewOf({ file, fileName, size, count, note }: Vector): Preview {
  return { kind: file ? "file" : "text", fileName, size, count, note };
}

test("previews for the server's language are written anew on request", {
  skip: !process.env.UPDATE_VECTORS,
}, async () => {
  const vectors: Vector[] = [];
  for (const vector of read("go")) {
    const secret = newSecret();
    vectors.push({
      ...vector,
      link: fragment({ key: vector.link.slice(0, 31), secret }),
      previewKey: base64(await previewKey(secret)),
      preview: base64(await sealPreview(secret, previewOf(vector))),
    });
  }
  writeFileSync("../seal/endtoend/testdata/preview-browser.json", `${JSON.stringify(vectors, null, 1)}\n`);
});

test("previews from both implementations open", async () => {
  for (const file of ["go", "browser"]) {
    for (const vector of read(file)) {
      const link = parse(vector.link);
      assert.ok(typeof link === "object");
      assert.equal(base64(await previewKey(link.secret)), vector.previewKey, vector.name);
      assert.deepEqual(
        await openPreview(link.secret, fromBase64(vector.preview)),
        previewOf(vector),
        `${file}: ${vector.name}`,
      );
    }
  }
});

const sample: Preview = { kind: "file", fileName: "backup.zip", size: 21_474_836_481, count: 12, note: "As\nasked." };

function failsWith(fault: ContentFault) {
  return (error: unknown) => error instanceof ContentError && error.fault === fault;
}

test("a preview opens with its link alone, and with no byte altered", async () => {
  const secret = newSecret();
  const sealed = await sealPreview(secret, sample);
  assert.equal(sealed.length, 328);
  assert.deepEqual(await openPreview(secret, sealed), sample);
  for (let at = 0; at < sealed.length; at++) {
    const spoiled = sealed.slice();
    spoiled[at] = (spoiled[at] ?? 0) ^ 1;
    await assert.rejects(openPreview(secret, spoiled), failsWith("altered"));
    await assert.rejects(openPreview(secret, sealed.slice(0, at)), failsWith("altered"));
  }
  await assert.rejects(openPreview(newSecret(), sealed), failsWith("altered"));
  await assert.rejects(openContent(await derive(secret, "", stretch), sealed), failsWith("altered"));
  await assert.rejects(openPreview(secret, new Uint8Array(4096)), failsWith("size"));
});

test("a preview that could deceive is neither written nor read", async () => {
  for (const change of [
    { fileName: "a/b" },
    { fileName: ".." },
    { fileName: "a\nb" },
    { fileName: "x".repeat(256) },
    { size: -1 },
    { size: 0.5 },
    { size: 2 ** 51 },
    { count: -1 },
    { count: 2 ** 32 },
    { note: "x".repeat(noteMax + 1) },
    { note: "a\u001b[31m" },
    { note: "a\tb" },
    { note: "a\r\nb" },
    { note: "gpj.\u202eexe" },
    { note: "a\u2028b" },
    { note: "\ud800" },
  ]) {
    await assert.rejects(sealPreview(newSecret(), { ...sample, ...change }), failsWith("header"));
  }
  assert.ok(isNote(""));
  assert.ok(isNote("😀".repeat(noteMax)));
  assert.ok(!isNote("x\n".repeat(noteMax / 2 + 1)));
});

test("what opens and is no preview that a device writes is refused", async () => {
  const secret = newSecret();
  const good = [0, 0, 0, 7, 8, 2, 18, 1, 97, 24, 5];
  const made = (size: number, ...changes: readonly (readonly [number, number])[]) => {
    const bytes = new Uint8Array(size);
    bytes.set(good.slice(0, size));
    for (const [at, value] of changes) {
      bytes[at] = value;
    }
    return bytes;
  };
  const opened = async (plain: Bytes) =>
    openPreview(secret, await seal(await previewKey(secret), encoded("hush.v1 preview"), plain));
  assert.deepEqual(await opened(made(256)), { kind: "file", fileName: "a", size: 5, count: 0, note: "" });
  assert.equal((await opened(made(256, [3, 9], [11, 48], [12, 1]))).fileName, "a"); // a field of later
  for (const [plain, fault] of [
    [made(255), "size"],
    [made(257), "size"],
    [made(11), "size"],
    [made(9), "size"],
    [made(3), "size"],
    [made(0), "size"],
    [made(256, [11, 1]), "size"],
    [made(256, [255, 1]), "size"],
    [made(256, [2, 1]), "size"],
    [new Uint8Array(256), "header"],
    [made(256, [5, 9]), "header"],
    [made(256, [8, 47]), "header"],
    [made(256, [4, 255]), "header"],
  ] as const) {
    await assert.rejects(opened(plain), failsWith(fault), `${plain.length} bytes: ${fault}`);
  }
});
