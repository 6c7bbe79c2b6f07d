import { inSeconds, size } from "./format";
import { type Key, t, tn } from "./i18n";
import { asRefusal, type Reason, type Refusal } from "./refusal";

const byReason: Partial<Record<Reason, Key>> = {
  quota: "problem.quota",
  account_required: "problem.account_required",
  domain_not_found: "problem.domain_not_found",
  domain_suspended: "problem.domain_suspended",
  scope: "problem.scope",
  shrimp: "problem.shrimp",
  cross_site: "problem.cross_site",
  challenge: "problem.challenge",
  credentials: "problem.credentials",
  unverified: "problem.unverified",
  address_taken: "problem.address_taken",
  ticket: "problem.ticket",
  duplicate: "problem.duplicate",
  not_configured: "problem.not_configured",
  insecure: "problem.insecure",
  passphrase: "problem.passphrase",
};

/** problemText returns the text for what a call threw, in the visitor's language. */
export function problemText(thrown: unknown): string {
  const refusal = asRefusal(thrown);
  const key = byReason[refusal.reason];
  return key ? t(key) : (worded(refusal) ?? byCode(refusal));
}

/** passphraseText says that a passphrase is missing or wrong, and what the visitor can do. */
export function passphraseText(refusal: Refusal): string {
  if (refusal.passphraseMissing) {
    return t("open.passphrase.missing");
  }
  if (refusal.triesLeft > 0) {
    return tn("open.passphrase.wrong", refusal.triesLeft);
  }
  return refusal.retryAfter > 0
    ? t("open.passphrase.pause", { when: inSeconds(refusal.retryAfter) })
    : t("open.locked.for_good");
}

/** worded returns the text for reasons whose text has parameters. */
function worded(refusal: Refusal): string | undefined {
  switch (refusal.reason) {
    case "rate_limited":
      return refusal.retryAfter > 0
        ? t("problem.rate_limited", { when: inSeconds(refusal.retryAfter) })
        : t("problem.rate_limited.later");
    case "locked":
      return refusal.forGood ? t("open.locked.for_good") : t("problem.locked", { when: inSeconds(refusal.retryAfter) });
    case "too_large":
      return t("problem.too_large", { limit: size(refusal.limit) });
    case "too_many":
      return t("problem.too_many", { limit: refusal.limit });
    case "invalid":
      return t("problem.invalid", { reason: refusal.message });
    case "policy":
      return t("problem.policy", { reason: refusal.message });
    case "maintenance":
      return t("problem.maintenance", { reason: refusal.message });
    default:
      return undefined;
  }
}

function byCode(refusal: Refusal): string {
  switch (refusal.code) {
    case "offline":
      return t("problem.offline");
    case "unavailable":
    case "deadline_exceeded":
      return t("problem.unavailable");
    case "not_found":
      return t("problem.not_found");
    case "unauthenticated":
      return t("problem.unauthenticated");
    case "permission_denied":
      return t("problem.forbidden");
    case "resource_exhausted":
      return t("problem.rate_limited.later");
    case "invalid_argument":
    case "failed_precondition":
      return t("problem.invalid", { reason: refusal.message });
    default:
      return t("problem.internal");
  }
}
