import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { directionOf, firstKnown, locales, parse } from "../src/i18n";

const english = import.meta.glob<Record<string, string>>("../src/i18n/**/en.ts", { eager: true, import: "default" });

const catalogues = Object.entries(english).map(
  ([path, texts]) => [path.slice("../".length, -"/en.ts".length), texts] as const,
);

const languages = Object.keys(locales).filter((name) => name !== "en");

function read(folder: string, language: string): Record<string, string> {
  return JSON.parse(readFileSync(`${folder}/${language}.json`, "utf8")) as Record<string, string>;
}

/** source returns the English text of a key. The forms of a plural have one text. */
function source(english: Record<string, string>, key: string): string | undefined {
  return english[key] ?? english[key.replace(/\.(zero|one|two|few|many|other)$/, ".other")];
}

const holes = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

/** The keys that a language must have, with its own forms of each plural. */
function wanted(english: Record<string, string>, language: string): string[] {
  const forms = new Intl.PluralRules(language.replace("_", "-")).resolvedOptions().pluralCategories;
  return Object.keys(english).flatMap((key) => {
    const base = /^(.*)\.other$/.exec(key)?.[1];
    if (base) {
      return forms.map((form) => `${base}.${form}`);
    }
    return key.endsWith(".one") && `${key.slice(0, -4)}.other` in english ? [] : [key];
  });
}

test("no key is in two English catalogues", () => {
  const keys = catalogues.flatMap(([, texts]) => Object.keys(texts));
  assert.deepEqual(
    keys.filter((key, i) => keys.indexOf(key) !== i),
    [],
  );
});

test("every text is used", () => {
  const code = readdirSync("src", { encoding: "utf8", recursive: true })
    .filter((path) => /\.tsx?$/.test(path) && !/(^|\/)en\.ts$|^gen\//.test(path))
    .map((path) => readFileSync(`src/${path}`, "utf8"))
    .join("\n");
  // A key may end in a value, as in t(`recent.state.${phase}`).
  const used = [...code.matchAll(/["`]([a-z]+\.[a-z0-9_.]*)/g)].map(([, key]) => key as string);
  const whole = new Set(used);
  const begun = used.filter((key) => key.endsWith("."));
  const unused = catalogues
    .flatMap(([, texts]) => Object.keys(texts))
    .map((key) => key.replace(/\.(one|other)$/, ""))
    .filter((key) => !whole.has(key) && !begun.some((start) => key.startsWith(start)));
  assert.deepEqual(unused, []);
});

for (const [folder, english] of catalogues) {
  test(`${folder}: languages have known keys and the same names to fill in`, () => {
    for (const language of languages) {
      for (const [key, text] of Object.entries(read(folder, language))) {
        const original = source(english, key);
        assert.ok(original !== undefined, `${folder}/${language}.json: unknown key ${key}`);
        const own = holes(text).filter((hole) => hole !== "{count}");
        const want = holes(original).filter((hole) => hole !== "{count}");
        assert.deepEqual(own, want, `${folder}/${language}.json: ${key}`);
        assert.notEqual(text.trim(), "", `${folder}/${language}.json: ${key} is empty`);
      }
    }
  });

  test(`${folder}: languages have all texts`, () => {
    for (const language of languages) {
      const own = read(folder, language);
      const missing = wanted(english, language).filter((key) => !(key in own));
      assert.deepEqual(missing, [], `${folder}/${language}.json lacks ${missing.join(", ")}`);
    }
  });
}

test("parse and firstKnown read the names of browsers and accounts", () => {
  assert.equal(parse("pt-BR"), "pt_BR");
  assert.equal(parse("pt"), "pt_BR");
  assert.equal(parse("de_AT"), "de");
  assert.equal(parse("EN-us"), "en");
  assert.equal(parse("tlh"), undefined);
  assert.equal(firstKnown(["tlh", "uk-UA", "en"]), "uk");
  assert.equal(firstKnown([]), undefined);
});

// A voice user says what is on the button.
test("the accessible name of a button contains its text", () => {
  for (const [folder, english] of catalogues) {
    for (const key of Object.keys(english).filter((key) => key.endsWith(".named"))) {
      for (const language of ["en", ...languages]) {
        const texts = language === "en" ? english : read(folder, language);
        const shown = texts[key.slice(0, -".named".length)]?.toLowerCase() ?? "";
        assert.ok(shown && texts[key]?.toLowerCase().includes(shown), `${folder}/${language}: ${key} lacks "${shown}"`);
      }
    }
  }
});

test("each language has its direction", () => {
  const rightToLeft = ["ar", "he"];
  for (const name of Object.keys(locales)) {
    assert.equal(directionOf(name), rightToLeft.includes(name) ? "rtl" : "ltr", name);
  }
  for (const name of ["ar-EG", "he_IL", "fa", "ur"]) {
    assert.equal(directionOf(name), "rtl", name);
  }
});
