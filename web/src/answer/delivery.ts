/*
 * Delivers the call of an answer. A call whose acknowledgement was lost may have arrived:
 * the same bytes are sent again, and take one place.
 */
import { needed } from "../call";
import { Encryption } from "../contract";
import type { Bytes } from "../endtoend/bytes";
import { pauseFor } from "../follow";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { keyIn } from "../link";
import { asRefusal, Refusal } from "../refusal";
import { requests } from "../rpc";
import type { Step } from "../share/draft";
import { CanceledError, canceled, isLost, watch } from "../share/upload";
import type { Call } from "./sealing";

/** Doing is what takes time: a step, or the wait before a repeat. */
export type Doing = Step | "repeating";

/** To is the request that is answered. */
export interface To {
  key: string;
  proof: Bytes;
}

interface Delivery {
  signal: AbortSignal;
  onDoing: (doing: Doing) => void;
  /** Is told how much of the call has left, from 0 to 1. */
  onSent: (part: number) => void;
}

/** For how many milliseconds to wait before a lost call is repeated. Then the visitor repeats it. */
const pauses = [1_000, 4_000];

/** The longest time that the page waits by itself because the service asked for it. */
const longest = 30;

/**
 * deliver sends a call until it is acknowledged, and returns the responder's receipt. It
 * throws Refusal, or CanceledError if signal aborted before all had left.
 */
export async function deliver(to: To, call: Call, delivery: Delivery): Promise<Metadata> {
  for (const pause of pauses) {
    try {
      return await proven(to, call, delivery);
    } catch (thrown) {
      const { retryAfter } = asRefusal(thrown);
      if (!mayHaveArrived(thrown) || retryAfter > longest) {
        throw thrown;
      }
      delivery.onDoing("repeating");
      await pauseFor(Math.max(pause, retryAfter * 1000), delivery.signal);
    }
    if (delivery.signal.aborted) {
      throw new Refusal("", { code: "offline" });
    }
  }
  return await proven(to, call, delivery);
}

/** mayHaveArrived reports whether a call failed so that the answer may be there all the same. */
export function mayHaveArrived(thrown: unknown): boolean {
  return isLost(thrown) && asRefusal(thrown).reason !== "maintenance";
}

/** isSettled reports whether a call failed so that neither it nor the same one before it was stored. */
export function isSettled(thrown: unknown): boolean {
  const { code, reason } = asRefusal(thrown);
  return (
    ["request_ended", "quota", "too_large", "duplicate"].includes(reason) ||
    (code === "invalid_argument" && reason !== "challenge")
  );
}

/** proven sends a call once, and again with a solved challenge if the service asks for one. */
async function proven(to: To, call: Call, delivery: Delivery): Promise<Metadata> {
  const { signal, onDoing } = delivery;
  onDoing("sending");
  try {
    return await sent(to, call, delivery, "");
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  onDoing("proving");
  const { solveChallenge } = await needed(() => import("../altcha"));
  const payload = await solveChallenge("conceal", signal).catch(canceled(signal)).catch(unsent);
  onDoing("sending");
  return await sent(to, call, delivery, payload);
}

/** unsent throws what kept a call from being sent. */
function unsent(thrown: unknown): never {
  const { code, reason, retryAfter, message } = asRefusal(thrown);
  throw thrown instanceof CanceledError ? thrown : new Refusal(message, { code, reason, retryAfter, unsent: true });
}

async function sent(to: To, call: Call, { signal, onSent }: Delivery, authenticityPayload: string): Promise<Metadata> {
  const upload = watch(signal, onSent);
  const request = { requestKey: to.key, linkProof: to.proof, ...call, authenticityPayload };
  const { metadata } = await requests.answerRequest(request, upload.options).catch(upload.failed).finally(upload.end);
  const receipt = metadata?.metadataKey ?? "";
  if (metadata?.encryption !== Encryption.end_to_end || !receipt || keyIn(receipt) !== receipt) {
    // It is no receipt: it is as if nothing had come.
    throw new Refusal("", { code: "unknown" });
  }
  return metadata;
}
