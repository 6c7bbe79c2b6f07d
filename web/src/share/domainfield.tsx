import { useEffect, useState } from "preact/hooks";
import { DomainState } from "../contract";
import { t } from "../i18n/share";
import { domains } from "../rpc";
import { account, policy } from "../session";
import { Field, Select } from "../ui";

interface DomainFieldProps {
  /** The domains to choose from, besides the service's own host. */
  own: readonly string[];
  value: string;
  onValue: (domain: string) => void;
}

/** DomainField is the choice of the domain of a link. It is not there if there is no choice. */
export function DomainField({ own, value, onValue }: DomainFieldProps) {
  const host = new URL(policy.value?.baseUrl || location.origin).host;
  return own.length > 0 ? (
    <Field label={t("share.domain")}>
      <Select
        value={value}
        onValue={onValue}
        options={[["", t("share.domain.own", { host })], ...own.map((name) => [name, name] as const)]}
      />
    </Field>
  ) : null;
}

/** useOwnDomains returns the verified domains of the account: none until they are loaded, and without an account. */
export function useOwnDomains(): readonly string[] {
  const [own, setOwn] = useState<readonly string[]>([]);
  const signedIn = Boolean(account.value);
  useEffect(() => {
    if (signedIn) {
      void verifiedDomains().then(setOwn);
    }
  }, [signedIn]);
  return own;
}

async function verifiedDomains(): Promise<string[]> {
  try {
    const { domains: all } = await domains.listDomains({});
    return all.filter((d) => d.state === (DomainState.verified as number)).map((d) => d.displayDomain);
  } catch {
    return []; // Sharing works without them.
  }
}
