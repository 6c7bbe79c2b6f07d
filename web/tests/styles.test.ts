import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const styles = readdirSync("src/styles").map(
  (name) => [name, bare(readFileSync(`src/styles/${name}`, "utf8"))] as const,
);

/** bare returns a style sheet without its comments. */
function bare(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, "");
}

/** Declaration is a property with its value. */
type Declaration = readonly [property: string, value: string];

function declarations(css: string): Declaration[] {
  return [...css.matchAll(/(?<=[{;]\s*)([a-z-]+)\s*:\s*([^;{}]+)(?=[;}])/g)].map(([, property, value]) => [
    property as string,
    (value as string).trim(),
  ]);
}

/** isPhysical reports whether a declaration names the left or the right side. */
function isPhysical([property, value]: Declaration): boolean {
  return (
    /(^|-)(left|right)($|-)/.test(property) ||
    /(^|[\s(,-])(left|right)($|[\s),-])/.test(value) ||
    (/^(margin|padding|inset|scroll-margin|scroll-padding|border-(width|style|color))$/.test(property) &&
      hasTwoSides(value)) ||
    (property === "border-radius" && partsOf(value).length > 1)
  );
}

/** hasTwoSides reports whether a value with four parts has another left than right side. */
function hasTwoSides(value: string): boolean {
  const parts = partsOf(value);
  return parts.length === 4 && parts[1] !== parts[3];
}

/** partsOf splits a value at the spaces that are in no parentheses. */
function partsOf(value: string): string[] {
  let depth = 0;
  const marked = [...value].map((char) => {
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    return char === " " && depth === 0 ? "\n" : char;
  });
  return marked.join("").split("\n");
}

test("the check finds physical sides", () => {
  const wrong = [
    "a { margin-left: 1px; }",
    "a { border-top-right-radius: 1px; }",
    "a { left: 0; }",
    "a { text-align: right; }",
    "a { background: linear-gradient(to left, red, blue); }",
    "a { padding: 0 1px 0 calc(1px + 2px); }",
    "a { border-radius: 0 1px; }",
    "a { color: red; float: left }",
  ];
  for (const css of wrong) {
    assert.ok(declarations(css).some(isPhysical), css);
  }
  for (const css of [
    "a { margin: 0 1px 0 1px; }",
    "a:hover { inset-inline-start: 0; }",
    "a { color: var(--copyright); }",
  ]) {
    assert.ok(!declarations(css).some(isPhysical), css);
  }
});

test("the styles name no physical side, so that they can be mirrored", () => {
  for (const [name, css] of styles) {
    assert.deepEqual(declarations(css).filter(isPhysical), [], name);
  }
});

test("what moves takes the times of the tokens, 120 to 180 ms, and 400 ms for what is waited for", () => {
  const tokens = styles.find(([name]) => name === "tokens.css")?.[1] ?? "";
  const times = Object.fromEntries(
    [...tokens.matchAll(/--([a-z]+): (\d+)ms/g)].map(([, name, ms]) => [name, Number(ms)]),
  );
  for (const name of ["quick", "move"]) {
    assert.ok((times[name] ?? 0) >= 120 && (times[name] ?? 0) <= 180, `${name}: got ${times[name]} ms`);
  }
  assert.ok((times.slow ?? 0) <= 400, `slow: got ${times.slow} ms`);
  for (const [name, css] of styles.filter(([name]) => name !== "tokens.css")) {
    assert.doesNotMatch(css, /\d(ms|s)\b/, name);
    for (const [property, value] of declarations(css).filter(([property]) =>
      /^(animation|transition)$/.test(property),
    )) {
      const fits = value === "none !important" || value.startsWith("turn ") || /var\(--(quick|move|slow)\)/.test(value);
      assert.ok(fits, `${name}: got ${property}: ${value}, want a time of the tokens`);
    }
  }
});
