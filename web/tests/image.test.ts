import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes } from "../src/endtoend/bytes";
import { imageType } from "../src/open/image";

const bytes = (text: string): Bytes => Uint8Array.from(text, (char) => char.charCodeAt(0));
const be16 = (n: number) => String.fromCharCode(n >> 8, n & 255);
const be32 = (n: number) => be16(n >>> 16) + be16(n & 0xffff);
const le16 = (n: number) => String.fromCharCode(n & 255, n >> 8);
const le24 = (n: number) => le16(n & 0xffff) + String.fromCharCode(n >> 16);
const le32 = (n: number) => le16(n & 0xffff) + le16(n >>> 16);

/** Beginnings of images of so many pixels, in each form that browsers draw. */
const made: Record<string, (width: number, height: number) => string> = {
  png: (w, h) => `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${be32(w)}${be32(h)}\x08\x06\0\0\0`,
  jpeg: (w, h) =>
    `\xff\xd8\xff\xe0${be16(4)}ab\xff\xc4${be16(3)}a\xff\xc2${be16(11)}\x08${be16(h)}${be16(w)}\x01\x01\x11\0`,
  "webp, lossy": (w, h) => `RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a${le16(w)}${le16(h)}`,
  "webp, lossless": (w, h) => `RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f${le32((w - 1) | ((h - 1) << 14))}`,
  "webp, extended": (w, h) => `RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0${le24(w - 1)}${le24(h - 1)}`,
};

test("images that a device can draw are known by their content", () => {
  for (const [name, make] of Object.entries(made)) {
    const type = `image/${name.split(",")[0]}`;
    assert.equal(imageType(bytes(make(3, 2))), type, name);
    assert.equal(imageType(bytes(make(4000, 4000))), type, `${name} of the most pixels`);
  }
});

test("an image that says it has more pixels, none, or nothing is not drawn", () => {
  for (const [name, make] of Object.entries(made)) {
    assert.equal(imageType(bytes(make(4001, 4000))), undefined, `${name} of too many pixels`);
    const whole = make(3, 2);
    for (let size = 0; size < (name === "jpeg" ? 22 : 18); size++) {
      assert.equal(imageType(bytes(whole.slice(0, size))), undefined, `${name}, ${size} bytes of it`);
    }
  }
  assert.equal(imageType(bytes(made.png?.(0, 2) ?? "")), undefined, "png without pixels");
  assert.equal(imageType(bytes(made.png?.(0xffffffff, 0xffffffff) ?? "")), undefined, "png of 2^64 pixels");
});

test("what may contain scripts, and what says its size in several places, is not drawn", () => {
  for (const text of [
    "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "<html>",
    "GIF89a\x03\0\x02\0",
    "BM",
    "%PDF-1.7",
    "",
  ]) {
    assert.equal(imageType(bytes(text)), undefined, text);
  }
});
