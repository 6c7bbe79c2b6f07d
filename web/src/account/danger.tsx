import { useState } from "preact/hooks";
import { FormError } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { Account } from "../gen/hush/v1/account_pb";
import { t, tn } from "../i18n/account";
import { accounts } from "../rpc";
import { loadAccount, setAccount } from "../session";
import { keepShrimp } from "../shrimp";
import { announce, Button, Card, Confirm, Notice } from "../ui";
import { checkPassword, credentialProblem, PasswordField } from "./credentials";

interface DangerProps {
  who: Account;
  onDestroyed: () => void;
}

/** Danger offers what cannot be undone: burning all secrets and destroying the account. */
export function Danger({ who, onDestroyed }: DangerProps) {
  return (
    <Card kind="danger" title={t("account.danger")}>
      <BurnAll />
      <Destroy who={who} onDestroyed={onDestroyed} />
    </Card>
  );
}

function BurnAll() {
  const [open, setOpen] = useState(false);
  const [burned, setBurned] = useState<number>();
  const submission = useSubmit();
  const close = () => {
    submission.clear();
    setOpen(false);
  };
  const burn = () =>
    submission.run(async () => {
      const answer = await accounts.burnAllSecrets({});
      setBurned(answer.burned);
      setOpen(false);
      announce(burnedText(answer.burned));
      await loadAccount();
    });
  return (
    <div class="danger-row">
      <p class="muted">{t("account.burn.hint")}</p>
      <Button
        kind="danger"
        icon="fire"
        onClick={() => {
          setBurned(undefined);
          setOpen(true);
        }}
      >
        {t("account.burn")}
      </Button>
      {burned !== undefined && <Notice kind="good">{burnedText(burned)}</Notice>}
      <Confirm
        open={open}
        onClose={close}
        title={t("account.burn.title")}
        action={submission.busy ? t("account.burn.busy") : t("account.burn")}
        onConfirm={burn}
        busy={submission.busy}
      >
        <p>{t("account.burn.text")}</p>
        <FormError submission={submission} />
      </Confirm>
    </div>
  );
}

function burnedText(count: number): string {
  return count > 0 ? tn("account.burn.done", count) : t("account.burn.none");
}

function Destroy({ who, onDestroyed }: DangerProps) {
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const submission = useSubmit(credentialProblem({ password: "password" }));
  const close = () => {
    setPassword("");
    submission.clear();
    setOpen(false);
  };
  const destroy = () =>
    submission.run(
      async () => {
        await accounts.destroyAccount({ confirmation: password });
        setPassword("");
        onDestroyed();
        keepShrimp("");
        setAccount(null);
      },
      checkPassword("password", password),
    );
  return (
    <div class="danger-row">
      <p class="muted">{t("account.destroy.hint")}</p>
      <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
        {t("account.destroy")}
      </Button>
      <Confirm
        open={open}
        onClose={close}
        title={t("account.destroy.title")}
        action={submission.busy ? t("account.destroy.busy") : t("account.destroy.submit")}
        onConfirm={destroy}
        busy={submission.busy}
      >
        <p>{t("account.destroy.text", { address: who.address })}</p>
        <div ref={submission.area}>
          <PasswordField
            label={t("account.destroy.password")}
            value={password}
            onValue={setPassword}
            error={submission.errorAt("password")}
          />
        </div>
        <FormError submission={submission} />
      </Confirm>
    </div>
  );
}
