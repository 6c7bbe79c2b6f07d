import { inSeconds, size } from "./format";
import { t, tn } from "./i18n";
import { asRefusal, type Reason, type Refusal } from "./refusal";

/** The reasons whose text has no parameters. Its key is problem.REASON. */
const plain = [
  "quota",
  "account_required",
  "domain_not_found",
  "domain_suspended",
  "scope",
  "shrimp",
  "cross_site",
  "challenge",
  "credentials",
  "unverified",
  "address_taken",
  "ticket",
  "duplicate",
  "not_configured",
  "insecure",
  "passphrase",
] as const satisfies Reason[];

/** problemText returns the text for what a call threw, in the visitor's language. */
export function problemText(thrown: unknown): string {
  const refusal = asRefusal(thrown);
  const reason = plain.find((name) => name === refusal.reason);
  return reason ? t(`problem.${reason}`) : (withParameters(refusal) ?? byCode(refusal));
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

/** withParameters returns the text for a reason whose text has parameters. */
function withParameters(refusal: Refusal): string | undefined {
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
    case "broken_text":
      return t("problem.broken_text");
    case "device":
      return t("problem.device");
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
