import { pick, shuffle } from "./random";

export interface CharacterChoice {
  length: number;
  uppercase: boolean;
  lowercase: boolean;
  numbers: boolean;
  symbols: boolean;
  /** Leave out 0 O o 1 I i l L and |. */
  unambiguous: boolean;
}

export const shortest = 4;
export const longest = 128;

const alphabets = {
  uppercase: "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  lowercase: "abcdefghijklmnopqrstuvwxyz",
  numbers: "0123456789",
  symbols: "!@#$%^&*()_+-=[]{}|;:,.<>?",
};

function chosen(choice: CharacterChoice): string[] {
  return (Object.keys(alphabets) as (keyof typeof alphabets)[])
    .filter((name) => choice[name])
    .map((name) => (choice.unambiguous ? alphabets[name].replace(/[0Oo1IilL|]/g, "") : alphabets[name]));
}

/** characters returns a random text with at least one character of each chosen set. */
export function characters(choice: CharacterChoice): string {
  const sets = chosen(choice);
  if (sets.length === 0) {
    return "";
  }
  const all = sets.join("");
  const drawn = sets.slice(0, choice.length).map((set) => pick(set));
  while (drawn.length < choice.length) {
    drawn.push(pick(all));
  }
  return shuffle(drawn).join("");
}

/** characterBits returns the entropy in bits, rounded down. */
export function characterBits(choice: CharacterChoice): number {
  const size = chosen(choice).join("").length;
  return size === 0 ? 0 : Math.floor(choice.length * Math.log2(size));
}
