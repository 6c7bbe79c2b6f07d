import { useEffect, useState } from "preact/hooks";
import { Danger } from "../account/danger";
import { Export } from "../account/export";
import { Places } from "../account/places";
import { Preferences } from "../account/preferences";
import { RequireAccount } from "../account/requireaccount";
import { Security } from "../account/security";
import { Sessions } from "../account/sessions";
import { Summary } from "../account/summary";
import type { Account as Who } from "../gen/hush/v1/account_pb";
import { t } from "../i18n/account";
import { loadAccount } from "../session";
import { Empty, LinkButton, Page } from "../ui";

/** Account is the page of the visitor's account. */
export default function Account() {
  const [destroyed, setDestroyed] = useState(false);
  if (destroyed) {
    return (
      <Page title={t("account.destroyed.title")}>
        <Empty icon="check" title={t("account.destroyed")}>
          <LinkButton href="/">{t("app.share")}</LinkButton>
        </Empty>
      </Page>
    );
  }
  return <RequireAccount>{(who) => <Settings who={who} onDestroyed={() => setDestroyed(true)} />}</RequireAccount>;
}

function Settings({ who, onDestroyed }: { who: Who; onDestroyed: () => void }) {
  useEffect(() => {
    void loadAccount(); // The counters and the address may have changed since.
  }, []);
  return (
    <Page title={t("account.title")}>
      <Places />
      <Summary who={who} />
      <Preferences who={who} />
      <Security who={who} />
      <Sessions />
      <Export />
      <Danger who={who} onDestroyed={onDestroyed} />
    </Page>
  );
}
