import type { Refusal_Reason } from "./gen/hush/v1/refusal_pb";

/** Reason is why the service refused: a value of hush.v1.Refusal.Reason in lower case, without REASON_. */
export type Reason = Lowercase<keyof typeof Refusal_Reason>;

/**
 * Code is the code of a failed call; `offline` if there was no response, `broken_text`
 * if half of a character is missing, `device` if this device could not work out what
 * the call needs.
 */
export type Code =
  | "offline"
  | "broken_text"
  | "device"
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

interface RefusalDetails {
  code: Code;
  reason?: Reason;
  /** The refused field of the request, as the contract spells it. */
  field?: string;
  /** The limit, as bytes or as a count. */
  limit?: number;
  /** How many tries are left after a wrong passphrase. */
  triesLeft?: number;
  /** Whether no passphrase was sent, which does not count as a try. */
  passphraseMissing?: boolean;
  /** Whether the lock never ends. */
  forGood?: boolean;
  /** Whether the call certainly failed before its request left this device. */
  unsent?: boolean;
  /** Seconds until another try makes sense; zero if the service did not say. */
  retryAfter?: number;
}

/**
 * Refusal is the only error that calls of the RPC clients throw. It contains
 * nothing from the request. Its message is the service's.
 */
export class Refusal extends Error {
  readonly code: Code;
  readonly reason: Reason;
  readonly field: string;
  readonly limit: number;
  readonly triesLeft: number;
  readonly passphraseMissing: boolean;
  readonly forGood: boolean;
  readonly unsent: boolean;
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
    this.unsent = details.unsent ?? false;
    this.retryAfter = details.retryAfter ?? 0;
  }
}

/** asRefusal returns a thrown Refusal, or a Refusal with the code unknown for anything else. */
export function asRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : new Refusal("", { code: "unknown" });
}
