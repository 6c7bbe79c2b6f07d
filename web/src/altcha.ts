import type { AltchaChallengeResponse } from "./gen/hush/v1/challenge_service_pb";
import { Refusal } from "./refusal";
import { challenges } from "./rpc";
import type { Puzzle } from "./worker/altcha";
import workerUrl from "./worker/altcha?worker&url";

/**
 * solveChallenge fetches a challenge and solves it in a worker. It returns the
 * authenticity_payload of a request, which can be used once, or throws Refusal.
 */
export async function solveChallenge(action: "conceal" | "feedback" | "signup"): Promise<string> {
  const challenge = await challenges.altchaChallenge({ action });
  const number = await solveInWorker({
    challenge: challenge.challenge,
    salt: challenge.salt,
    maxNumber: Number(challenge.maxNumber),
  });
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

async function solveInWorker(puzzle: Puzzle): Promise<number> {
  const worker = new Worker(scriptURL() as string, { type: "module" });
  try {
    return await new Promise<number>((resolve, reject) => {
      worker.onmessage = (event: MessageEvent<number>) => resolve(event.data);
      worker.onerror = () => reject(new Refusal("", { code: "internal", reason: "challenge" }));
      worker.postMessage(puzzle);
    });
  } finally {
    worker.terminate();
  }
}

interface Policy {
  createScriptURL(url: string): unknown;
}

interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

let policy: Policy | undefined;

/** scriptURL passes the UI's only Trusted Types policy, which allows one address: the worker's. */
function scriptURL(): unknown {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  policy ??= factory?.createPolicy("hush", {
    createScriptURL(url) {
      if (url !== workerUrl) {
        throw new TypeError("not a script of this page");
      }
      return url;
    },
  });
  return policy ? policy.createScriptURL(workerUrl) : workerUrl;
}
