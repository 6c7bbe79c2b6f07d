import type { AltchaChallengeResponse } from "./gen/hush/v1/challenge_service_pb";
import { Refusal } from "./refusal";
import { challenges } from "./rpc";
import type { Puzzle } from "./worker/altcha";
import { ask } from "./worker/start";

/**
 * solveChallenge fetches a challenge and solves it in a worker. It returns the
 * authenticity_payload of a request, which can be used once, or throws Refusal. It
 * ends early if signal aborts.
 */
export async function solveChallenge(action: "conceal" | "feedback" | "signup", signal?: AbortSignal): Promise<string> {
  const challenge = await challenges.altchaChallenge({ action }, signal && { signal });
  const puzzle: Puzzle = {
    challenge: challenge.challenge,
    salt: challenge.salt,
    maxNumber: Number(challenge.maxNumber),
  };
  const number = await ask<number>("altcha", puzzle, signal);
  if (number < 0) {
    throw new Refusal("", { code: "invalid_argument", reason: "challenge" });
  }
  return payload(challenge, number);
}

function payload(challenge: AltchaChallengeResponse, number: number): string {
  return btoa(
    JSON.stringify({
      algorithm: challenge.algorithm,
      challenge: challenge.challenge,
      number,
      salt: challenge.salt,
      signature: challenge.signature,
    }),
  );
}
