import { sha256 } from "../sha256";
import { answerWith } from "./exchange";

/** Puzzle asks for the number that, appended to the salt, has the hash. */
export interface Puzzle {
  challenge: string;
  salt: string;
  maxNumber: number;
}

/** How many numbers are tried before the page is told that the search goes on. */
const round = 10_000;

/** solve returns the number, or -1 if there is none. It calls alive now and then. */
export function solve({ challenge, salt, maxNumber }: Puzzle, alive?: () => void): number {
  const encoder = new TextEncoder();
  for (let number = 0; number <= maxNumber; number++) {
    if (number % round === 0) {
      alive?.();
    }
    if (sha256(encoder.encode(salt + number)) === challenge) {
      return number;
    }
  }
  return -1;
}

// Unit tests import this module outside a worker.
if (typeof self !== "undefined" && typeof window === "undefined") {
  answerWith(self, solve);
}
