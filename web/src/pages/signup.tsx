import { useEffect, useRef, useState } from "preact/hooks";
import {
  AddressField,
  checkAddress,
  checkNewPassword,
  credentialProblem,
  NewPasswordField,
} from "../account/credentials";
import { Resend } from "../account/resend";
import { FormError, SubmitButton } from "../forms/formerror";
import { type Proof, useProof } from "../forms/proof";
import { type Problem, useSubmit } from "../forms/submit";
import { SignUp as Policy } from "../gen/hush/v1/system_service_pb";
import { locale } from "../i18n";
import { t as menuText } from "../i18n/menu";
import { rich, t } from "../i18n/signin";
import { keyIn } from "../link";
import { asRefusal } from "../refusal";
import { navigate, type PageProps } from "../router";
import { accounts } from "../rpc";
import { account, policy, signIn, signOut } from "../session";
import {
  announce,
  Button,
  Card,
  Empty,
  Field,
  Form,
  Icon,
  LinkButton,
  Loading,
  Notice,
  Page,
  Spinner,
  TextInput,
} from "../ui";

/** SignUp is the page that creates an account, if the operator allows that. */
export default function SignUp({ params }: PageProps) {
  const [mailed, setMailed] = useState("");
  const who = account.value;
  const signingIn = useRef(false);
  if (who === undefined) {
    return <Loading />;
  }
  if (who && !signingIn.current) {
    return <Already address={who.address} />;
  }
  if (mailed) {
    return <Mailed address={mailed} onAgain={() => setMailed("")} />;
  }
  if (policy.value?.signUp === Policy.CLOSED) {
    return <Closed />;
  }
  const invite = keyIn(params.invite ?? "") || (params.invite ?? "");
  return (
    <Page short title={t("signup.title")} lead={invite ? t("signup.invited") : t("signup.lead")}>
      <SignUpForm invite={invite} onMailed={setMailed} onSigningIn={(now) => (signingIn.current = now)} />
      <p class="muted">{rich("signup.have", { link: <a href="/signin">{t("signin.title")}</a> })}</p>
    </Page>
  );
}

function Already({ address }: { address: string }) {
  const submission = useSubmit();
  return (
    <Page short title={t("signup.title")}>
      <Notice>
        <p>{t("signup.already", { address })}</p>
        <p>{t("signup.already.text")}</p>
        <FormError submission={submission} />
        <Button busy={submission.busy} onClick={() => submission.run(signOut)}>
          {menuText("app.signout")}
        </Button>
      </Notice>
    </Page>
  );
}

function Closed() {
  return (
    <Page short title={t("signup.title")}>
      <Empty icon="lock" title={t("signup.closed")}>
        <p>{t("signup.closed.text")}</p>
        {policy.value?.anonymousCreate !== false && <p>{t("signup.closed.share")}</p>}
        <LinkButton href="/signin">{t("signin.title")}</LinkButton>
      </Empty>
    </Page>
  );
}

function Mailed({ address, onAgain }: { address: string; onAgain: () => void }) {
  return (
    <Page short title={t("signup.mail.title")} lead={t("signup.mail.lead", { address })}>
      <Card>
        <p>{t("signup.mail.nothing")}</p>
        <Resend address={address} />
        <div>
          <Button kind="quiet" onClick={onAgain}>
            {t("signup.mail.again")}
          </Button>
        </div>
      </Card>
    </Page>
  );
}

interface FormProps {
  /** The invite in the link; empty if there is none. */
  invite: string;
  /** Called if the address must be confirmed by mail. */
  onMailed: (address: string) => void;
  /** Called before the form itself signs in to the new account. */
  onSigningIn: (signingIn: boolean) => void;
}

function SignUpForm({ invite: given, onMailed, onSigningIn }: FormProps) {
  const [address, setAddress] = useState("");
  const [password, setPassword] = useState("");
  const [invite, setInvite] = useState(given);
  const byInvite = policy.value?.signUp === Policy.INVITE;
  // If addresses are confirmed by mail, the page of the mailed link asks for the password.
  const byMail = policy.value?.verification === true;
  const proof = useProof("signup");
  const submission = useSubmit(problemOf);
  useEffect(() => () => setPassword(""), []);
  const send = () =>
    submission.run(
      async () => {
        const wanted = {
          address: address.trim(),
          password: byMail ? "" : password,
          invite: keyIn(invite) || invite.trim(),
        };
        if (await create(wanted, proof)) {
          onMailed(wanted.address);
          return;
        }
        onSigningIn(true);
        await signInTo(wanted.address, password);
      },
      checkInvite(byInvite, invite) ??
        checkAddress("address", address) ??
        (byMail ? undefined : checkNewPassword("password", password, address)),
    );
  return (
    <div ref={submission.area} onInput={proof.begin}>
      <Form onSend={send} label={t("signup.title")}>
        <Card>
          {byInvite && !given && (
            <InviteField value={invite} onValue={setInvite} error={submission.errorAt("invite")} />
          )}
          {given && submission.errorAt("invite") && <Notice kind="bad">{submission.errorAt("invite")}</Notice>}
          <AddressField
            value={address}
            onValue={setAddress}
            hint={byMail ? t("signup.mail.hint") : undefined}
            error={submission.errorAt("address")}
          />
          {!byMail && (
            <NewPasswordField value={password} onValue={setPassword} error={submission.errorAt("password")} />
          )}
          <ProofLine proof={proof} waited={submission.busy} />
          <SubmitButton submission={submission} text={t("signup.submit")} busy={t("signup.busy")} wide />
        </Card>
      </Form>
    </div>
  );
}

function InviteField(input: { value: string; onValue: (value: string) => void; error: string | undefined }) {
  return (
    <>
      <p class="muted">{t("signup.invite_only")}</p>
      <Field label={t("signup.invite")} hint={t("signup.invite.hint")} error={input.error}>
        <TextInput
          class="mono"
          dir="ltr"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required
          value={input.value}
          onValue={input.onValue}
        />
      </Field>
    </>
  );
}

/** ProofLine shows the progress of the challenge. */
function ProofLine({ proof, waited }: { proof: Proof; waited: boolean }) {
  return (
    <p class="proof" role="status">
      {proof.state === "working" && (
        <>
          <Spinner />
          <span>{waited ? t("signup.proof.waiting") : t("signup.proof.working")}</span>
        </>
      )}
      {proof.state === "done" && (
        <>
          <Icon name="check" />
          <span>{t("signup.proof.done")}</span>
        </>
      )}
    </p>
  );
}

interface Wanted {
  address: string;
  password: string;
  invite: string;
}

/** create creates the account, and reports whether the address must be confirmed by mail. */
async function create(wanted: Wanted, proof: Proof): Promise<boolean> {
  const request = async () => ({ ...wanted, locale: locale.peek(), authenticityPayload: await proof.take() });
  try {
    return (await accounts.createAccount(await request())).verificationRequired;
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  // The solution was too old or had been used: try again with a fresh one.
  return (await accounts.createAccount(await request())).verificationRequired;
}

/** signInTo signs in to the new account, or leads to the sign-in page if that fails. */
async function signInTo(address: string, password: string): Promise<void> {
  announce(t("signup.ready"));
  try {
    await signIn(address, password, false);
    navigate("/", { replace: true });
  } catch {
    navigate("/signin", { replace: true });
  }
}

function checkInvite(needed: boolean, invite: string): Problem | undefined {
  return needed && !invite.trim() ? { field: "invite", text: t("signup.invite.missing") } : undefined;
}

function problemOf(thrown: unknown): Problem {
  const { reason, field } = asRefusal(thrown);
  if (reason === "ticket") {
    return { field: "invite", text: t("signup.invite.bad") };
  }
  if (reason === "policy" && field === "invite") {
    return { field, text: t("signup.invite.missing") };
  }
  if (reason === "policy" && field === "") {
    return { field, text: t("signup.closed") };
  }
  return credentialProblem({ address: "address", fresh: "password" })(thrown);
}
