import { useEffect, useState } from "preact/hooks";
import { DomainState } from "../contract";
import { t } from "../i18n/share";
import { domains } from "../rpc";
import { policy } from "../session";
import { Button, Field, Select, TextInput } from "../ui";
import { mails, type OptionsProps } from "./fields";
import { kinds } from "./kind";

/** Delivery has the fields that need an account: recipients and the domain of the link. */
export default function Delivery(props: OptionsProps) {
  const { draft, change } = props;
  const [own, setOwn] = useState<string[]>([]);
  useEffect(() => {
    void verifiedDomains().then(setOwn);
  }, []);
  const host = new URL(policy.value?.baseUrl || location.origin).host;
  return !mails() && own.length === 0 ? null : (
    <div class="columns">
      {mails() && <Recipients {...props} />}
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

/** Recipients is the field for the addresses that the server mails the link to. For that it must know the link. */
function Recipients({ draft, kind, problem, change, onKind }: OptionsProps) {
  if (kind === "end_to_end") {
    return (
      <div class="field">
        <p class="field-label">{t("share.recipient")}</p>
        <p class="field-hint">{t("share.recipient.end_to_end")}</p>
        {kinds().includes("server") && (
          <div>
            <Button size="small" onClick={() => onKind("server")}>
              {t("share.recipient.server")}
            </Button>
          </div>
        )}
      </div>
    );
  }
  return (
    <Field
      label={t("share.recipient")}
      optional
      hint={t("share.recipient.hint")}
      error={problem.field === "recipients" ? problem.text : undefined}
    >
      <TextInput
        inputMode="email"
        autocomplete="off"
        value={draft.recipients}
        onValue={(recipients) => change({ recipients })}
      />
    </Field>
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
