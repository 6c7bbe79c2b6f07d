import { useState } from "preact/hooks";
import { SubmitButton } from "../forms/formerror";
import { type Problem, useSubmit } from "../forms/submit";
import { rich, t } from "../i18n/signin";
import { homeElsewhere } from "../link";
import { policy, signIn } from "../session";
import { announce, Card, Checkbox, Form, Icon, Notice } from "../ui";
import { AddressField, checkAddress, checkPassword, credentialProblem, PasswordField } from "./credentials";

/** SignInHere shows the sign-in form, or why the visitor cannot sign in here. */
export function SignInHere() {
  return policy.value?.signIn === false ? <NoSignIn /> : <SignInForm />;
}

/** NoSignIn says why the visitor cannot sign in here, and where to do so. */
function NoSignIn() {
  const home = homeElsewhere(policy.value?.baseUrl ?? "", location.hostname);
  const link = <a href={`${home}/signin`}>{home}</a>;
  return (
    <Notice kind="warn">
      <p>{home ? rich("signin.elsewhere", { link }) : t("signin.insecure")}</p>
    </Notice>
  );
}

function SignInForm() {
  const [address, setAddress] = useState("");
  const [password, setPassword] = useState("");
  const [remember, setRemember] = useState(false);
  const submission = useSubmit(credentialProblem({ address: "address" }));
  const send = () =>
    submission.run(
      async () => {
        await signIn(address.trim(), password, remember);
        announce(t("signin.done"));
      },
      check(address, password),
    );
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("signin.title")}>
        <Card>
          <AddressField value={address} onValue={setAddress} error={submission.errorAt("address")} />
          <PasswordField value={password} onValue={setPassword} error={submission.errorAt("password")} />
          <div>
            <Checkbox checked={remember} onChecked={setRemember}>
              {t("signin.remember")}
            </Checkbox>
            <details class="small">
              <summary>
                {t("signin.remember.how")}
                <Icon name="down" />
              </summary>
              <p class="muted">{t("signin.remember.hint")}</p>
            </details>
          </div>
          <SubmitButton submission={submission} text={t("signin.submit")} busy={t("signin.busy")} wide />
          <p class="small">
            <a href="/reset">{t("signin.forgot")}</a>
          </p>
        </Card>
      </Form>
    </div>
  );
}

function check(address: string, password: string): Problem | undefined {
  return checkAddress("address", address) ?? checkPassword("password", password);
}
