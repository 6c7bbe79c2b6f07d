/*
 * The claims that answers are opened with. Unlike that of another secret, which only the
 * page has, this device keeps one until the content is there: an answer is not lost with
 * the page, as long as the service keeps it for the claim.
 */
import type { Bytes } from "../endtoend/bytes";
import type { Source } from "../open/reveal";
import { newClaim } from "../open/source";
import { forgetClaim, keepClaim, keptClaim } from "../requests/kept";

export interface Claim {
  /** What this device keeps it under. */
  name: string;
  claim: Bytes;
}

/** nameOf returns what this device keeps a claim under. */
const nameOf = (collectKey: string, id: string) => `${collectKey}/${id}`;

/** hasClaim reports whether this device began to open an answer, and did not confirm it. */
export async function hasClaim(collectKey: string, id: string): Promise<boolean> {
  return (await keptClaim(nameOf(collectKey, id))) !== undefined;
}

/** claimOn returns the claim that this device has on an answer, or a new one. */
export async function claimOn(collectKey: string, id: string): Promise<Claim> {
  const name = nameOf(collectKey, id);
  return { name, claim: (await keptClaim(name)) ?? newClaim() };
}

/** claimed keeps the claim of a source before it is used, and forgets it once it served. */
export function claimed<Request, Answer, Content>(
  source: Source<Request, Answer, Content>,
  { name, claim }: Claim,
): Source<Request, Answer, Content> {
  return {
    ...source,
    prepare: async (passphrase, signal) => {
      const request = await source.prepare(passphrase, signal);
      await keepClaim(name, claim);
      return request;
    },
    acknowledge: async (signal) => {
      const confirmed = await source.acknowledge(signal);
      await forgetClaim(name);
      return confirmed;
    },
  };
}
