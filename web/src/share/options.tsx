import { useEffect, useState } from "preact/hooks";
import { DomainState } from "../contract";
import { t } from "../i18n";
import { domains } from "../rpc";
import { account, policy } from "../session";
import { Field, PasswordInput, Select, TextInput } from "../ui";
import { choices, type Draft, defaultTtl, type Problem } from "./draft";

interface OptionsProps {
  draft: Draft;
  problem: Problem;
  change: (part: Partial<Draft>) => void;
}

/** Options has the fields for everything but the secret itself. */
export function Options({ draft, problem, change }: OptionsProps) {
  const required = policy.value?.passphraseRequired ?? false;
  return (
    <>
      <div class="columns">
        <Field label={t("share.ttl")}>
          <Select
            value={String(draft.ttl || defaultTtl())}
            onValue={(ttl) => change({ ttl: Number(ttl) })}
            options={choices()}
          />
        </Field>
        <Field
          label={t("share.passphrase")}
          optional={!required}
          hint={t("share.passphrase.hint")}
          error={problem.field === "passphrase" ? problem.text : undefined}
        >
          <PasswordInput
            value={draft.passphrase}
            onValue={(passphrase) => change({ passphrase })}
            autocomplete="new-password"
            maxLength={128}
            required={required}
          />
        </Field>
      </div>
      {account.value && <Delivery draft={draft} problem={problem} change={change} />}
    </>
  );
}

/** Delivery has the fields that need an account: recipients and the domain of the link. */
function Delivery({ draft, problem, change }: OptionsProps) {
  const [own, setOwn] = useState<string[]>([]);
  useEffect(() => {
    void verifiedDomains().then(setOwn);
  }, []);
  const host = new URL(policy.value?.baseUrl || location.origin).host;
  return (
    <div class="columns">
      <Field
        label={t("share.recipient")}
        optional
        hint={policy.value?.mail === false ? t("share.recipient.no_mail") : t("share.recipient.hint")}
        error={problem.field === "recipients" ? problem.text : undefined}
      >
        <TextInput
          inputMode="email"
          autocomplete="off"
          value={draft.recipients}
          onValue={(recipients) => change({ recipients })}
        />
      </Field>
      {own.length > 0 && (
        <Field label={t("share.domain")}>
          <Select
            value={draft.domain}
            onValue={(domain) => change({ domain })}
            options={[["", t("share.domain.own", { host })], ...own.map((name) => [name, name] as [string, string])]}
          />
        </Field>
      )}
    </div>
  );
}

async function verifiedDomains(): Promise<string[]> {
  try {
    const { domains: all } = await domains.listDomains({});
    return all.filter((d) => d.state === (DomainState.verified as number)).map((d) => d.displayDomain);
  } catch {
    return []; // Sharing works without them.
  }
}
