import assert from "node:assert/strict";
import { test } from "node:test";
import { type CharacterChoice, characterBits, characters } from "../src/share/generate/characters";
import { below } from "../src/share/generate/random";
import { wordlist } from "../src/share/generate/wordlist";
import { bitsPerWord, words } from "../src/share/generate/words";

const all: CharacterChoice = {
  length: 12,
  uppercase: true,
  lowercase: true,
  numbers: true,
  symbols: true,
  unambiguous: false,
};

test("characters uses each chosen set and nothing else", () => {
  for (let i = 0; i < 300; i++) {
    const text = characters({ ...all, length: 4 });
    assert.match(text, /[A-Z]/);
    assert.match(text, /[a-z]/);
    assert.match(text, /[0-9]/);
    assert.match(text, /[^A-Za-z0-9]/);
    assert.equal(text.length, 4);
    assert.match(
      characters({ ...all, symbols: false, unambiguous: true, length: 40 }),
      /^[A-HJ-KM-NP-Za-hj-km-np-z2-9]{40}$/,
    );
  }
  const none = { ...all, uppercase: false, lowercase: false, numbers: false, symbols: false };
  assert.equal(characters(none), "");
  assert.equal(characterBits(none), 0);
});

test("below is uniform", () => {
  const counts = new Array<number>(10).fill(0);
  const rounds = 100_000;
  for (let i = 0; i < rounds; i++) {
    counts[below(10)]! += 1;
  }
  const chi = counts.reduce((sum, n) => sum + (n - rounds / 10) ** 2 / (rounds / 10), 0);
  // Nine degrees of freedom: above 40 once in a hundred thousand runs.
  assert.ok(chi < 40, `below(10): chi-square ${chi}, want below 40`);
});

test("the word list has 1,024 words, and words joins some", async () => {
  assert.equal(wordlist.length, 2 ** bitsPerWord);
  assert.equal(new Set(wordlist).size, wordlist.length);
  for (const word of wordlist) {
    assert.match(word, /^[a-z]{3,8}$/);
  }
  assert.match(await words({ count: 6, separator: "-", capitals: true }), /^([A-Z][a-z]+-){5}[A-Z][a-z]+$/);
});
