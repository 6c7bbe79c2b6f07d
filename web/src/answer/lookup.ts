/* What a request's link leads to. Looking changes nothing, and sends the key and the link's proof alone. */
import { RequestState } from "../contract";
import type { Bytes } from "../endtoend/bytes";
import type { Link } from "../endtoend/link";
import type { GetRequestResponse } from "../gen/hush/v1/request_service_pb";
import { asRefusal, Refusal } from "../refusal";
import { type Asked, CardError, openCard } from "../requests/card";
import { requests } from "../rpc";
import { textMost } from "./size";

/** Ended is why a request takes no answers; "gone" for one that is unknown or forgotten. */
export type Ended = Exclude<keyof typeof RequestState, "open"> | "gone";

/** Question is a request that takes answers, as its card says it and as the service knows who asks. */
export interface Question {
  key: string;
  /** The link's proof. */
  proof: Bytes;
  asked: Asked;
  /** The custom domain of its link, if the service verified that it is the requester's. */
  domain: string;
  /** The confirmed address of the requester's account, if the requester shows it. */
  address: string;
  /** The most bytes of an answer, before it is encrypted. */
  most: number;
}

/** Found is what a link leads to: "link" for a wrong secret part, and "altered" or "version" for a card that is refused. */
export type Found =
  | { at: "asked"; question: Question }
  | { at: "ended"; how: Ended }
  | { at: "link" }
  | { at: "altered" }
  | { at: "version" };

/** lookUp asks for the request of a link whose proof is given. It throws Refusal. */
export async function lookUp({ key, secret }: Link, proof: Bytes): Promise<Found> {
  let answer: GetRequestResponse;
  try {
    answer = await requests.getRequest({ requestKey: key, linkProof: proof });
  } catch (thrown) {
    const { code, reason } = asRefusal(thrown);
    if (code === "not_found") {
      return { at: "ended", how: "gone" };
    }
    if (reason === "link") {
      return { at: "link" };
    }
    throw thrown;
  }
  const how = endOf(answer.request?.state);
  return how ? { at: "ended", how } : await opened({ key, secret }, proof, answer);
}

/** endOf returns how a request ended, and undefined for an open one. A state that this client does not know is an end. */
function endOf(state: number | undefined): Ended | undefined {
  if (state === RequestState.open) {
    return undefined;
  }
  return (["full", "past", "closed", "withdrawn"] as const).find((name) => RequestState[name] === state) ?? "closed";
}

async function opened({ key, secret }: Link, proof: Bytes, answer: GetRequestResponse): Promise<Found> {
  try {
    const asked = await openCard(secret, new Uint8Array(answer.card));
    if (isPast(asked)) {
      return { at: "ended", how: "past" };
    }
    const { verifiedDomain: domain, address, answerMax } = answer;
    return { at: "asked", question: { key, proof, asked, domain, address, most: textMost(Number(answerMax)) } };
  } catch (thrown) {
    if (thrown instanceof CardError) {
      return { at: thrown.fault === "version" ? "version" : "altered" };
    }
    throw new Refusal("", { code: "offline", unsent: true }); // what opens a card did not load
  }
}

/** isPast reports whether the time of a card is over by this device's clock, whatever the service says. */
export function isPast({ card }: Asked): boolean {
  return Date.now() >= card.latest * 1000;
}
