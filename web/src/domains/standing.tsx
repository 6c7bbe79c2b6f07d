import { DomainState } from "../contract";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { t } from "../i18n/more";
import { Icon } from "../ui";

/** Standing is where a domain stands, as a word. */
export function Standing({ domain }: { domain: Domain }) {
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

/** isVerified tells whether links can be made on a domain. */
export function isVerified(domain: Domain): boolean {
  return (domain.state as number) === DomainState.verified;
}
