import { useEffect, useState } from "preact/hooks";
import { checkNewPassword, credentialProblem, NewPasswordField } from "../account/credentials";
import { ResendForm } from "../account/resend";
import { BrokenTicket, TicketForm, ticketIn } from "../account/ticket";
import { useSubmit } from "../forms/submit";
import { t } from "../i18n/signin";
import { asRefusal } from "../refusal";
import type { PageProps } from "../router";
import { accounts } from "../rpc";
import { loadAccount, policy } from "../session";
import { Card, Empty, LinkButton, Page } from "../ui";

/** Verify confirms the address of a new account and sets its password, when its button is pressed. */
export default function Verify({ params }: PageProps) {
  const token = ticketIn(params);
  const [password, setPassword] = useState("");
  const [done, setDone] = useState(false);
  const [spent, setSpent] = useState(false);
  const submission = useSubmit(credentialProblem({ fresh: "password" }));
  useEffect(() => () => setPassword(""), []);
  if (done) {
    return (
      <Page short title={t("verify.done.title")}>
        <Empty icon="check" title={t("verify.done")}>
          <LinkButton kind="primary" href="/signin">
            {t("signin.title")}
          </LinkButton>
        </Empty>
      </Page>
    );
  }
  const send = () =>
    submission.run(
      async () => {
        try {
          await accounts.verifyAccount({ token, password });
        } catch (thrown) {
          setSpent(asRefusal(thrown).reason === "ticket");
          throw thrown;
        }
        setPassword("");
        setDone(true);
        await loadAccount();
      },
      checkNewPassword("password", password),
    );
  return (
    <Page short title={t("verify.title")} lead={token && !spent && t("verify.lead")}>
      {token ? (
        <TicketForm
          submission={submission}
          spent={spent}
          onSend={send}
          label={t("verify.title")}
          text={t("verify.submit")}
          busy={t("verify.busy")}
        >
          <NewPasswordField value={password} onValue={setPassword} error={submission.errorAt("password")} />
        </TicketForm>
      ) : (
        <BrokenTicket />
      )}
      {(spent || !token) && policy.value?.mail !== false && (
        <Card title={t("verify.again")}>
          <ResendForm />
        </Card>
      )}
    </Page>
  );
}
