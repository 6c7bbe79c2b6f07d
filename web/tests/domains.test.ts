import assert from "node:assert/strict";
import { test } from "node:test";
import { type Area, drag, edges, fit, gripAt, largest, resize, scaled } from "../src/domains/area";
import { brandOf, changeOf, draftOf } from "../src/domains/draft";
import { hostIn } from "../src/domains/host";
import { charCount } from "../src/format";
import type { Brand } from "../src/gen/hush/v1/domain_pb";

const brand = (fields: Partial<Brand>) => fields as Brand;

test("hostIn finds the host in a pasted URL", () => {
  for (const text of ["secrets.example.com", " https://secrets.example.com/a?b#c ", "HTTP://secrets.example.com"]) {
    assert.equal(hostIn(text).toLowerCase(), "secrets.example.com", text);
  }
  assert.equal(hostIn("  "), "");
});

test("changeOf returns the fields that were changed and those to unset", () => {
  const saved = draftOf(brand({ colour: "#abc", buttonTextLight: true, description: "Otters" }));
  assert.equal(changeOf(saved, saved), undefined);
  assert.deepEqual(changeOf(saved, { ...saved, color: "", ink: "auto", description: "" }), {
    brand: {},
    unset: ["primary_color", "colour", "button_text_light", "description"],
  });
  const open = draftOf(brand({ locale: "de", allowPublicHomepage: true }));
  assert.deepEqual(changeOf(open, { ...open, locale: "", homepage: false, api: true }), {
    brand: { allowPublicApi: true },
    unset: ["locale", "allow_public_homepage"],
  });
  assert.deepEqual(changeOf(saved, { ...saved, color: "#DC4A22", corner: "pill", before: "Hi\nyou" }), {
    brand: { primaryColor: "#dc4a22", cornerStyle: "pill", instructionsPreReveal: "Hi\nyou" },
    unset: [],
  });
});

test("draftOf and brandOf agree on fields that were never set", () => {
  assert.deepEqual(draftOf(undefined), draftOf(brand({ fontFamily: "sans", cornerStyle: "rounded" })));
  assert.equal(changeOf(draftOf(undefined), draftOf(brand({ fontFamily: "sans" }))), undefined);
  assert.equal(brandOf({ ...draftOf(undefined), color: "red;}" }).primaryColor, undefined);
});

test("charCount counts as the service does", () => {
  assert.equal(charCount("a😀ä"), 3);
});

const image = { width: 900, height: 420 };

test("largest returns the whole image, or the square in its middle", () => {
  assert.deepEqual(largest(image, false), { x: 0, y: 0, ...image });
  assert.deepEqual(largest(image, true), { x: 240, y: 0, width: 420, height: 420 });
});

/** inside fails unless an area is within the image, and is a square if it must be. */
function inside(area: Area, square: boolean, size = image): void {
  const text = JSON.stringify(area);
  assert.ok(area.x >= 0 && area.y >= 0 && area.width >= 1 && area.height >= 1, text);
  assert.ok(area.x + area.width <= size.width && area.y + area.height <= size.height, text);
  assert.ok(!square || area.width === area.height, text);
}

test("drag stays in the image wherever the pointer goes", () => {
  const grips = ["nw", "ne", "sw", "se", "middle"] as const;
  for (const size of [image, { width: 3, height: 900 }]) {
    for (const square of [true, false]) {
      let area = largest(size, square);
      for (let i = 0; i < 500; i++) {
        const grip = grips[i % grips.length] ?? "middle";
        area = drag(area, grip, ((i * 7919) % 701) - 350, ((i * 104729) % 503) - 251, size, square);
        inside(area, square, size);
      }
    }
  }
});

test("drag does not move the opposite corner", () => {
  const area = { x: 100, y: 100, width: 200, height: 150 };
  assert.deepEqual(drag(area, "nw", 20, 30, image, false), { x: 120, y: 130, width: 180, height: 120 });
  assert.deepEqual(drag(area, "se", 20, 30, image, false), { x: 100, y: 100, width: 220, height: 180 });
  assert.deepEqual(drag(area, "middle", -500, 500, image, false), { x: 0, y: 270, width: 200, height: 150 });
});

test("edges moves one edge, and resize keeps the centre", () => {
  const area = { x: 100, y: 100, width: 200, height: 150 };
  assert.deepEqual(edges(area, "left", 140, image), { x: 140, y: 100, width: 160, height: 150 });
  assert.deepEqual(edges(area, "right", 900, image), { x: 100, y: 100, width: 800, height: 150 });
  assert.deepEqual(edges(area, "top", 400, image), { x: 100, y: 234, width: 200, height: 16 });
  assert.deepEqual(edges(area, "bottom", 110, image), { x: 100, y: 100, width: 200, height: 16 });
  assert.deepEqual(resize({ x: 0, y: 0, width: 100, height: 100 }, 200, image), {
    x: 0,
    y: 0,
    width: 200,
    height: 200,
  });
  inside(fit({ x: 880, y: -5, width: 5000, height: 2 }, image), false);
});

test("scaled keeps small images and shrinks large ones", () => {
  assert.deepEqual(scaled({ width: 30, height: 20 }), { width: 30, height: 20 });
  assert.deepEqual(scaled({ width: 4000, height: 1 }), { width: 512, height: 1 });
});

test("gripAt finds corners before the middle", () => {
  const area = { x: 100, y: 100, width: 200, height: 150 };
  assert.equal(gripAt(area, 102, 99, 10), "nw");
  assert.equal(gripAt(area, 295, 255, 10), "se");
  assert.equal(gripAt(area, 200, 170, 10), "middle");
  assert.equal(gripAt(area, 50, 50, 10), undefined);
});
