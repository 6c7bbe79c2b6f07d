import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, hex } from "../src/brand";

test("hex accepts only colours", () => {
  assert.equal(hex("#ABC"), "#aabbcc");
  assert.equal(hex(" #dc4a22 "), "#dc4a22");
  for (const text of ["", "red", "#12", "#12345", "#gggggg", "url(//x)", "#fff;color:red"]) {
    assert.equal(hex(text), "", `hex(${text})`);
  }
});

test("contrast is the contrast of WCAG", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#777777"), 1);
  assert.ok(Math.abs(contrast("#777777", "#ffffff") - 4.478) < 0.01);
});
