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
      <Unfold title={t("account.password")}>
        <PasswordForm address={who.address} />
      </Unfold>
      <Unfold title={t("account.move")}>
        {policy.value?.mail === false ? (
          <p class="muted">{t("account.move.no_mail")}</p>
        ) : (
          <MoveForm address={who.address} />
        )}
      </Unfold>
    </Card>
  );
}

function Unfold({ title, children }: { title: string; children: ComponentChildren }) {
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

function MoveForm({ address }: { address: string }) {
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
        announce(t("account.move.done", { address: wanted }));
        await loadAccount();
      },
      checkAddress("new_address", next) ?? checkMove(wanted, address) ?? checkPassword("password", password),
    );
  };
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("account.move")}>
        <AddressField
          label={t("account.move.label")}
          hint={t("account.move.hint")}
          autocomplete="email"
          value={next}
          onValue={setNext}
          error={submission.errorAt("new_address")}
        />
        <PasswordField value={password} onValue={setPassword} error={submission.errorAt("password")} />
        {asked && <Notice kind="good">{t("account.move.done", { address: asked })}</Notice>}
        <SubmitButton submission={submission} text={t("account.move.submit")} busy={t("account.move.busy")} />
      </Form>
    </div>
  );
}

function checkMove(next: string, address: string): Problem | undefined {
  return next.toLowerCase() === address ? { field: "new_address", text: t("account.move.same") } : undefined;
}
