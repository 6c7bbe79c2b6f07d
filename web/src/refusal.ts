import type { Refusal_Reason } from "./gen/hush/v1/refusal_pb";

/** Why the service refused, in the words of hush.v1.Refusal without REASON_. */
export type Reason = Lowercase<keyof typeof Refusal_Reason>;

/** The code of a failed call; `offline` if no answer came at all. */
export type Code =
  | "offline"
  | "canceled"
  | "unknown"
  | "invalid_argument"
  | "deadline_exceeded"
  | "not_found"
  | "already_exists"
  | "permission_denied"
  | "resource_exhausted"
  | "failed_precondition"
  | "aborted"
  | "out_of_range"
  | "unimplemented"
  | "internal"
  | "unavailable"
  | "data_loss"
  | "unauthenticated";

export interface RefusalDetails {
  code: Code;
  reason?: Reason;
  /** The request's field that is refused, in the contract's spelling. */
  field?: string;
  /** The limit in bytes, or in number. */
  limit?: number;
  /** How many tries are left after a wrong passphrase. */
  triesLeft?: number;
  /** True if no passphrase was sent, which counts as no try. */
  passphraseMissing?: boolean;
  /** True if no wait ends a lock. */
  forGood?: boolean;
  /** Seconds until it is worth trying again; zero if nobody said. */
  retryAfter?: number;
}

/**
 * Refusal is what every call of the RPC clients throws. It holds nothing of
 * the request. Its message is the service's, in the service's words.
 */
export class Refusal extends Error {
  readonly code: Code;
  readonly reason: Reason;
  readonly field: string;
  readonly limit: number;
  readonly triesLeft: number;
  readonly passphraseMissing: boolean;
  readonly forGood: boolean;
  readonly retryAfter: number;

  constructor(message: string, details: RefusalDetails) {
    super(message);
    this.name = "Refusal";
    this.code = details.code;
    this.reason = details.reason ?? "unspecified";
    this.field = details.field ?? "";
    this.limit = details.limit ?? 0;
    this.triesLeft = details.triesLeft ?? 0;
    this.passphraseMissing = details.passphraseMissing ?? false;
    this.forGood = details.forGood ?? false;
    this.retryAfter = details.retryAfter ?? 0;
  }
}

/** Whatever was thrown, as a Refusal. */
export function asRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : new Refusal("", { code: "unknown" });
}
