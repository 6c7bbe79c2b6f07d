import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { SignInHere } from "../account/signinform";
import { BrokenTicket, TicketForm, ticketIn } from "../account/ticket";
import { useSubmit } from "../forms/submit";
import { t } from "../i18n/signin";
import { asRefusal } from "../refusal";
import type { PageProps } from "../router";
import { accounts } from "../rpc";
import { account, loadAccount } from "../session";
import { LinkButton, Loading, Notice, Page } from "../ui";

/**
 * ConfirmAddress changes an account's address when its button is pressed. The
 * account that asked for the change must be signed in.
 */
export default function ConfirmAddress({ params }: PageProps) {
  const token = ticketIn(params);
  const [done, setDone] = useState(false);
  const [spent, setSpent] = useState(false);
  const [other, setOther] = useState("");
  const submission = useSubmit();
  if (done) {
    return (
      <Page short title={t("confirm.done.title")} lead={t("confirm.done")}>
        <Onward />
      </Page>
    );
  }
  const confirm = async () => {
    try {
      await accounts.confirmAddressChange({ token });
    } catch (thrown) {
      if (asRefusal(thrown).code === "unauthenticated") {
        await loadAccount(); // another account may be signed in, or none
        setOther(account.value?.accountId ?? "");
        return;
      }
      setSpent(asRefusal(thrown).reason === "ticket");
      throw thrown;
    }
    setDone(true);
    await loadAccount();
  };
  return (
    <Page short title={t("confirm.title")} lead={token && !spent && t("confirm.lead")}>
      {!token && <BrokenTicket />}
      {token && (
        <ForOwner other={other}>
          <TicketForm
            submission={submission}
            spent={spent}
            onSend={() => submission.run(confirm)}
            label={t("confirm.title")}
            text={t("confirm.submit")}
            busy={t("confirm.busy")}
          />
        </ForOwner>
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

interface ForOwnerProps {
  /** The account that was refused because another one asked for the change; empty if none was. */
  other: string;
  children: ComponentChildren;
}

/**
 * ForOwner shows its children once the owner is signed in. It signs in on the page
 * itself, so that the link's token gets into no other URL.
 */
function ForOwner({ other, children }: ForOwnerProps) {
  const who = account.value;
  if (who === undefined) {
    return <Loading />;
  }
  if (who && who.accountId !== other) {
    return <>{children}</>;
  }
  return (
    <>
      {who && <Notice kind="warn">{t("confirm.wrong_account")}</Notice>}
      <p>{t("confirm.signin")}</p>
      <SignInHere />
    </>
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
