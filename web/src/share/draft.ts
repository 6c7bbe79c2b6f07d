import { byteLength, charCount, duration, durationOf, size } from "../format";
import type { ConcealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { t, tn } from "../i18n";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { secrets } from "../rpc";
import { account, policy } from "../session";

/** Draft is the form's content. */
export interface Draft {
  text: string;
  passphrase: string;
  ttl: number;
  recipients: string;
  domain: string;
}

/** Created is what the result page shows: the two keys, and the text if this page generated it. */
export interface Created {
  answer: ConcealSecretResponse;
  generated: string;
}

export const empty: Draft = { text: "", passphrase: "", ttl: 0, recipients: "", domain: "" };

/** Problem says why the form was refused, beside a field or beside its button (form). */
export interface Problem {
  field?: "secret" | "passphrase" | "recipients" | "form";
  text?: string;
}

export function check(draft: Draft): Problem {
  if (!draft.text) {
    return { field: "secret", text: t("share.empty") };
  }
  const over = byteLength(draft.text) - limit();
  if (over > 0) {
    return { field: "secret", text: t("share.too_large", { over: size(over) }) };
  }
  const fewest = policy.value?.passphraseMin ?? 0;
  if (policy.value?.passphraseRequired && !draft.passphrase) {
    return { field: "passphrase", text: t("share.passphrase.required") };
  }
  if (draft.passphrase && charCount(draft.passphrase) < fewest) {
    return { field: "passphrase", text: tn("share.passphrase.min", fewest) };
  }
  return {};
}

export function problemOf(thrown: unknown): Problem {
  const { field } = asRefusal(thrown);
  const known = field === "secret" || field === "passphrase" || field === "recipients";
  return { field: known ? field : "form", text: problemText(thrown) };
}

/** limit returns the most bytes of a secret, or a generous number until the policy is known. */
export function limit(): number {
  return Number(account.value?.secretLimit || policy.value?.anonymousSecret || 1 << 20);
}

/** conceal sends the draft, and sends it again with a solved challenge if the service asks for one. */
export async function conceal(draft: Draft, proving: () => void): Promise<ConcealSecretResponse> {
  const request = {
    secret: draft.text,
    passphrase: draft.passphrase,
    ttl: durationOf(draft.ttl || defaultTtl()),
    recipients: addresses(draft.recipients),
    shareDomain: draft.domain,
  };
  try {
    return await secrets.concealSecret(request);
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  proving();
  const { solveChallenge } = await import("../altcha");
  return secrets.concealSecret({ ...request, authenticityPayload: await solveChallenge("conceal") });
}

function addresses(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((address) => address.trim())
    .filter(Boolean);
}

const lifetimes = [300, 3600, 4 * 3600, 86400, 3 * 86400, 7 * 86400, 14 * 86400, 30 * 86400, 90 * 86400, 365 * 86400];

function ceiling(): number {
  return Number(account.value?.ttlCeiling || policy.value?.anonymousTtl || 7 * 86400);
}

export function defaultTtl(): number {
  return Math.min(Number(policy.value?.defaultTtl || 7 * 86400), ceiling());
}

/** choices returns the lifetimes to choose from, including the operator's default and maximum. */
export function choices(): [string, string][] {
  const all = new Set([...lifetimes, defaultTtl(), ceiling()]);
  return [...all]
    .filter((seconds) => seconds <= ceiling())
    .sort((a, b) => a - b)
    .map((seconds) => [String(seconds), duration(seconds)]);
}
