import { sha256 } from "../sha256";

/** Puzzle asks for the number that, appended to the salt, has the hash. */
export interface Puzzle {
  challenge: string;
  salt: string;
  maxNumber: number;
}

/** solve returns the number, or -1 if there is none. */
export function solve({ challenge, salt, maxNumber }: Puzzle): number {
  const encoder = new TextEncoder();
  for (let number = 0; number <= maxNumber; number++) {
    if (sha256(encoder.encode(salt + number)) === challenge) {
      return number;
    }
  }
  return -1;
}

// Unit tests import this module outside a worker.
if (typeof self !== "undefined" && typeof window === "undefined") {
  self.onmessage = (event: MessageEvent<Puzzle>) => {
    self.postMessage(solve(event.data));
  };
}
