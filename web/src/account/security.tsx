import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SubmitButton } from "../forms/formerror";
import { type Problem, useSubmit } from "../forms/submit";
import type { Account } from "../gen/hush/v1/account_pb";
import { t } from "../i18n/account";
import { t as signinText } from "../i18n/signin";
import { accounts } from "../rpc";
import { loadAccount, policy } from "../session";
import { announce, Card, Form, Icon, Notice } from "../ui";
import {
  AddressField,
  checkAddress,
  checkNewPassword,
  checkPassword,
  credentialProblem,
  NewPasswordField,
  PasswordField,
} from "./credentials";

/** Security changes the password and the e-mail address. */
export function Security({ who }: { who: Account }) {
  return (
    <Card title={t("account.security")}>
      <Disclosure title={t("account.password")}>
        <PasswordForm address={who.address} />
      </Disclosure>
      <Disclosure title={t("account.address_change")}>
        {policy.value?.mail === false ? (
          <p class="muted">{t("account.address_change.no_mail")}</p>
        ) : (
          <AddressForm address={who.address} />
        )}
      </Disclosure>
    </Card>
  );
}

function Disclosure({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details class="unfold">
      <summary>
        <Icon name="down" />
        {title}
      </summary>
      <div class="unfold-body">{children}</div>
    </details>
  );
}

function PasswordForm({ address }: { address: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [done, setDone] = useState(false);
  const submission = useSubmit(credentialProblem({ fresh: "new_password", password: "password" }));
  const clear = () => {
    setCurrent("");
    setNext("");
  };
  useEffect(() => clear, []);
  const send = () => {
    setDone(false);
    submission.run(
      async () => {
        await accounts.changeAccountPassword({ currentPassword: current, newPassword: next });
        clear();
        setDone(true);
        announce(t("account.password.done"));
      },
      checkPassword("password", current) ??
        checkNewPassword("new_password", next, address) ??
        checkOther(current, next),
    );
  };
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("account.password")}>
        <p class="muted small">{t("account.password.hint")}</p>
        <PasswordField
          label={signinText("password.current")}
          value={current}
          onValue={setCurrent}
          error={submission.errorAt("password")}
        />
        <NewPasswordField
          label={signinText("password.new")}
          value={next}
          onValue={setNext}
          error={submission.errorAt("new_password")}
        />
        {done && <Notice kind="good">{t("account.password.done")}</Notice>}
        <SubmitButton submission={submission} text={t("account.password.submit")} busy={t("account.password.busy")} />
      </Form>
    </div>
  );
}

function checkOther(current: string, next: string): Problem | undefined {
  return current === next ? { field: "new_password", text: signinText("password.same") } : undefined;
}

function AddressForm({ address }: { address: string }) {
  const [next, setNext] = useState("");
  const [password, setPassword] = useState("");
  const [asked, setAsked] = useState("");
  const submission = useSubmit(credentialProblem({ address: "new_address", password: "password" }));
  const wanted = next.trim();
  const send = () => {
    setAsked("");
    submission.run(
      async () => {
        await accounts.requestAddressChange({ newAddress: wanted, password });
        setNext("");
        setPassword("");
        setAsked(wanted);
        announce(t("account.address_change.done", { address: wanted }));
        await loadAccount();
      },
      checkAddress("new_address", next) ?? checkNewAddress(wanted, address) ?? checkPassword("password", password),
    );
  };
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("account.address_change")}>
        <AddressField
          label={t("account.address_change.label")}
          hint={t("account.address_change.hint")}
          autocomplete="email"
          value={next}
          onValue={setNext}
          error={submission.errorAt("new_address")}
        />
        <PasswordField value={password} onValue={setPassword} error={submission.errorAt("password")} />
        {asked && <Notice kind="good">{t("account.address_change.done", { address: asked })}</Notice>}
        <SubmitButton
          submission={submission}
          text={t("account.address_change.submit")}
          busy={t("account.address_change.busy")}
        />
      </Form>
    </div>
  );
}

function checkNewAddress(next: string, address: string): Problem | undefined {
  return next.toLowerCase() === address ? { field: "new_address", text: t("account.address_change.same") } : undefined;
}
