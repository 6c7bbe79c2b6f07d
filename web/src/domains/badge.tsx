import { DomainState } from "../contract";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { t } from "../i18n/domains";
import { Icon } from "../ui";

/** DomainBadge shows the state of a domain in a word. */
export function DomainBadge({ domain }: { domain: Domain }) {
  switch (domain.state as number) {
    case DomainState.verified:
      return (
        <span class="badge badge-good">
          <Icon name="check" />
          {t("domain.state.verified")}
        </span>
      );
    case DomainState.suspended:
      return (
        <span class="badge badge-bad">
          <Icon name="warn" />
          {t("domain.state.suspended")}
        </span>
      );
    default:
      return (
        <span class="badge badge-warn">
          <Icon name="clock" />
          {t("domain.state.pending")}
        </span>
      );
  }
}

/** isVerified reports whether links can use the domain. */
export function isVerified(domain: Domain): boolean {
  return (domain.state as number) === DomainState.verified;
}
