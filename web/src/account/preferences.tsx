import { useState } from "preact/hooks";
import { FormError } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { Account } from "../gen/hush/v1/account_pb";
import { chooseLocale, locale, locales, parse } from "../i18n";
import { t } from "../i18n/account";
import { accounts } from "../rpc";
import { policy, setAccount } from "../session";
import { announce, Card, Checkbox, Field, Select } from "../ui";

/** Preferences saves each choice at once. */
export function Preferences({ who }: { who: Account }) {
  return (
    <Card title={t("account.preferences")}>
      <Language who={who} />
      <Notify who={who} />
    </Card>
  );
}

function Language({ who }: { who: Account }) {
  const submission = useSubmit();
  const [wanted, setWanted] = useState<string>();
  const shown = wanted ?? parse(who.locale) ?? locale.value;
  const save = (name: string) =>
    submission.run(async () => {
      const next = parse(name) ?? "en";
      setWanted(next);
      try {
        const { newLocale } = await accounts.updateLocale({ locale: next });
        setAccount({ ...who, locale: newLocale });
        await chooseLocale(next);
        announce(t("account.language.saved"));
      } finally {
        setWanted(undefined);
      }
    });
  return (
    <>
      <Field label={t("account.language")} hint={t("account.language.hint")}>
        <Select value={shown} onValue={save} options={Object.entries(locales)} />
      </Field>
      <FormError submission={submission} />
    </>
  );
}

function Notify({ who }: { who: Account }) {
  const submission = useSubmit();
  const [wanted, setWanted] = useState<boolean>();
  const noMail = policy.value?.mail === false;
  const save = (secretOpened: boolean) =>
    submission.run(async () => {
      setWanted(secretOpened);
      try {
        const { account } = await accounts.updateNotifications({ notifications: { secretOpened } });
        setAccount(account ?? who);
        announce(t("account.notify.saved"));
      } finally {
        setWanted(undefined);
      }
    });
  return (
    <>
      <Checkbox
        checked={wanted ?? who.notifications?.secretOpened ?? false}
        onChecked={save}
        hint={noMail ? t("account.notify.no_mail") : undefined}
      >
        {t("account.notify")}
      </Checkbox>
      <FormError submission={submission} />
    </>
  );
}
