import { useState } from "preact/hooks";
import {
  AddressField,
  checkAddress,
  checkNewPassword,
  credentialProblem,
  NewPasswordField,
} from "../account/credentials";
import { BrokenTicket, TicketForm, ticketIn } from "../account/ticket";
import { useSubmit } from "../forms/submit";
import { t, tn } from "../i18n/signin";
import { asRefusal } from "../refusal";
import type { PageProps } from "../router";
import { accounts } from "../rpc";
import { loadAccount, policy } from "../session";
import { Empty, Icon, LinkButton, Notice, Page } from "../ui";

/** Reset asks for a reset link, or sets a new password if the address has its token. */
export default function Reset({ params }: PageProps) {
  return params.token === undefined ? <Ask /> : <SetPassword token={ticketIn(params)} />;
}

function Ask() {
  const [address, setAddress] = useState("");
  const [asked, setAsked] = useState("");
  const submission = useSubmit(credentialProblem({ address: "address" }));
  if (asked) {
    return (
      <Page short title={t("reset.ask.done.title")} lead={t("reset.ask.done", { address: asked })}>
        <div>
          <LinkButton href="/signin">{t("signin.title")}</LinkButton>
        </div>
      </Page>
    );
  }
  if (policy.value?.mail === false) {
    return (
      <Page short title={t("reset.ask.title")}>
        <Notice>{t("reset.ask.no_mail")}</Notice>
      </Page>
    );
  }
  const send = () =>
    submission.run(
      async () => {
        await accounts.requestPasswordReset({ address: address.trim() });
        setAsked(address.trim());
      },
      checkAddress("address", address),
    );
  return (
    <Page short title={t("reset.ask.title")} lead={t("reset.ask.lead")}>
      <TicketForm
        submission={submission}
        onSend={send}
        label={t("reset.ask.title")}
        text={t("reset.ask.submit")}
        busy={t("reset.ask.busy")}
      >
        <AddressField value={address} onValue={setAddress} error={submission.errorAt("address")} />
      </TicketForm>
    </Page>
  );
}

function SetPassword({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const [sealed, setSealed] = useState<number>();
  const [spent, setSpent] = useState(false);
  const submission = useSubmit(credentialProblem({ fresh: "new_password" }));
  if (sealed !== undefined) {
    return <Done sealed={sealed} />;
  }
  const send = () =>
    submission.run(
      async () => {
        try {
          const answer = await accounts.resetPassword({ token, newPassword: password });
          setPassword("");
          setSealed(Number(answer.sealedCount));
        } catch (thrown) {
          setSpent(asRefusal(thrown).reason === "ticket");
          throw thrown;
        }
        await loadAccount();
      },
      checkNewPassword("new_password", password),
    );
  return (
    <Page short title={t("reset.title")}>
      {token ? (
        <TicketForm
          submission={submission}
          spent={spent}
          onSend={send}
          label={t("reset.title")}
          text={t("reset.submit")}
          busy={t("reset.busy")}
        >
          <NewPasswordField
            label={t("password.new")}
            value={password}
            onValue={setPassword}
            error={submission.errorAt("new_password")}
          />
          <Cost />
        </TicketForm>
      ) : (
        <BrokenTicket />
      )}
      {(spent || !token) && (
        <div>
          <LinkButton href="/reset">{t("reset.another")}</LinkButton>
        </div>
      )}
    </Page>
  );
}

/** Cost says beforehand what a reset ends. */
function Cost() {
  return (
    <section class="stack-s" aria-label={t("reset.cost.title")}>
      <h2>{t("reset.cost.title")}</h2>
      <ul class="stack-s cost">
        <li>
          <Icon name="lock" />
          <span>{t("reset.cost.sessions")}</span>
        </li>
        <li>
          <Icon name="receipt" />
          <span>{t("reset.cost.list")}</span>
        </li>
      </ul>
    </section>
  );
}

function Done({ sealed }: { sealed: number }) {
  return (
    <Page short title={t("reset.done.title")}>
      {sealed > 0 && <Notice>{tn("reset.done.sealed", sealed)}</Notice>}
      <Empty icon="check" title={t("reset.done")}>
        <LinkButton kind="primary" href="/signin">
          {t("signin.title")}
        </LinkButton>
      </Empty>
    </Page>
  );
}
