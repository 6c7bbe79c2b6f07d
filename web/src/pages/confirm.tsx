import { useState } from "preact/hooks";
import { useDeed } from "../account/deed";
import { BrokenTicket, TicketForm, ticketIn } from "../account/ticket";
import { t } from "../i18n/more";
import { asRefusal } from "../refusal";
import type { PageProps } from "../routes";
import { accounts } from "../rpc";
import { account, loadAccount } from "../session";
import { LinkButton, Page } from "../ui";

/** ConfirmAddress sets an account's new address, when its button is pressed. */
export default function ConfirmAddress({ params }: PageProps) {
  const token = ticketIn(params);
  const [done, setDone] = useState(false);
  const [spent, setSpent] = useState(false);
  const deed = useDeed();
  if (done) {
    return (
      <Page title={t("confirm.done.title")} lead={t("confirm.done")} width="narrow">
        <Onward />
      </Page>
    );
  }
  const send = () =>
    deed.do(async () => {
      try {
        await (await accounts()).confirmAddressChange({ token });
      } catch (thrown) {
        setSpent(asRefusal(thrown).reason === "ticket");
        throw thrown;
      }
      setDone(true);
      await loadAccount();
    });
  return (
    <Page title={t("confirm.title")} lead={token && !spent && t("confirm.lead")} width="narrow">
      {token ? (
        <TicketForm
          deed={deed}
          spent={spent}
          onSend={send}
          label={t("confirm.title")}
          text={t("confirm.submit")}
          busy={t("confirm.busy")}
        />
      ) : (
        <BrokenTicket />
      )}
      {(spent || !token) && (
        <>
          <p class="muted">{t("confirm.failed")}</p>
          <Onward />
        </>
      )}
    </Page>
  );
}

function Onward() {
  return (
    <div>
      {account.value ? (
        <LinkButton href="/account">{t("confirm.account")}</LinkButton>
      ) : (
        <LinkButton kind="primary" href="/signin">
          {t("signin.title")}
        </LinkButton>
      )}
    </div>
  );
}
