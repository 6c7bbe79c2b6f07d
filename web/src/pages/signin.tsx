import { useEffect, useState } from "preact/hooks";
import { AddressField, checkAddress, checkPassword, credentialProblem, PasswordField } from "../account/credentials";
import { type Problem, useDeed } from "../account/deed";
import { returnPath } from "../account/returning";
import { Send } from "../account/tell";
import { SignUp } from "../gen/hush/v1/system_service_pb";
import { rich, t } from "../i18n/more";
import { homeElsewhere } from "../link";
import { navigate, place } from "../router";
import { account, policy, signIn } from "../session";
import { announce, Card, Checkbox, Form, Loading, Notice, Page } from "../ui";

/** SignIn leads on to the page that sent the visitor here. */
export default function SignIn() {
  const asked = place.value.query.get("next");
  const next = returnPath(asked);
  const who = account.value;
  useEffect(() => {
    if (who) {
      navigate(next, { replace: true });
    }
  }, [who, next]);
  if (who !== null) {
    return <Loading />;
  }
  return (
    <Page title={t("signin.title")} lead={next === "/" ? undefined : t("gate.back")} width="narrow">
      {policy.value?.signIn === false ? <NoSignIn /> : <SignInForm />}
    </Page>
  );
}

/** NoSignIn says why not here, and where instead. */
function NoSignIn() {
  const home = homeElsewhere(policy.value?.baseUrl ?? "", location.hostname);
  const link = <a href={`${home}/signin`}>{home}</a>;
  return <Notice kind="warn">{home ? rich("signin.elsewhere", { link }) : t("signin.insecure")}</Notice>;
}

function SignInForm() {
  const [address, setAddress] = useState("");
  const [password, setPassword] = useState("");
  const [remember, setRemember] = useState(false);
  const deed = useDeed(credentialProblem({ address: "address" }));
  const send = () =>
    deed.do(
      async () => {
        await signIn(address.trim(), password, remember);
        announce(t("signin.done"));
      },
      check(address, password),
    );
  return (
    <>
      <div ref={deed.area}>
        <Form onSend={send} label={t("signin.title")}>
          <Card>
            <AddressField value={address} onValue={setAddress} error={deed.at("address")} />
            <PasswordField value={password} onValue={setPassword} error={deed.at("password")} />
            <Checkbox checked={remember} onChecked={setRemember} hint={t("signin.remember.hint")}>
              {t("signin.remember")}
            </Checkbox>
            <Send deed={deed} text={t("signin.submit")} busy={t("signin.busy")} wide />
            <p class="small">
              <a href="/reset">{t("signin.forgot")}</a>
            </p>
          </Card>
        </Form>
      </div>
      {policy.value?.signUp !== SignUp.CLOSED && (
        <p class="muted">{rich("signin.new", { link: <a href="/signup">{t("signin.new.link")}</a> })}</p>
      )}
    </>
  );
}

function check(address: string, password: string): Problem | undefined {
  return checkAddress("address", address) ?? checkPassword("password", password);
}
