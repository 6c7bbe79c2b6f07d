import { Encryption } from "../contract";
import type { Answer } from "../early";
import { dateOf } from "../format";
import { asRefusal } from "../refusal";
import { secrets } from "../rpc";

/** Details is what a page shows of a secret before it is opened. */
export interface Details {
  hasPassphrase: boolean;
  expires: Date | undefined;
  /** The custom domain of the secret's link; empty for none. */
  shareDomain: string;
  /** Whether it verifies the address of a new account. */
  verification: boolean;
  /** Whether the visitor concealed it. */
  owned: boolean;
  encryption: number;
}

/**
 * lookUp returns the details of a secret, and undefined if there is none. It uses
 * the answer that the first script got, and asks if there is no such answer. It
 * throws Refusal.
 */
export async function lookUp(secretKey: string): Promise<Details | undefined> {
  const early = read(await answered(secretKey), secretKey);
  if (early) {
    return early === "gone" ? undefined : early;
  }
  try {
    const { secret } = await secrets.getSecret({ secretKey });
    return secret && { ...secret, expires: dateOf(secret.expireTime) };
  } catch (thrown) {
    if (asRefusal(thrown).code === "not_found") {
      return undefined;
    }
    throw thrown;
  }
}

/** answered returns what the first script knows. If that script is missing, it knows nothing. */
async function answered(secretKey: string): Promise<Answer | undefined> {
  try {
    const early = await import("../early");
    return await early.taken(secretKey);
  } catch {
    return undefined;
  }
}

/** Body is what the service answers in JSON, which leaves out what is false or empty. */
interface Body {
  code?: string;
  secret?: Partial<Omit<Details, "expires" | "encryption">> & {
    secretKey?: string;
    expireTime?: string;
    encryption?: string;
  };
}

/** read returns the details in an answer, and undefined if it says neither these nor that there is no secret. */
export function read(answer: Answer | undefined, secretKey: string): Details | "gone" | undefined {
  const { code, secret } = (answer?.body ?? {}) as Body;
  if (answer?.status === 404 && code === "not_found") {
    return "gone";
  }
  const expires = new Date(secret?.expireTime ?? "");
  const encryption = { ENCRYPTION_SERVER: Encryption.server, ENCRYPTION_END_TO_END: Encryption.end_to_end }[
    secret?.encryption as "ENCRYPTION_SERVER"
  ];
  if (answer?.status !== 200 || secret?.secretKey !== secretKey || !(encryption > 0) || !(expires.getTime() > 0)) {
    return undefined;
  }
  return { hasPassphrase: false, shareDomain: "", verification: false, owned: false, ...secret, expires, encryption };
}
