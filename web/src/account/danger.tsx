import { useState } from "preact/hooks";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Account } from "../gen/hush/v1/account_pb";
import { t, tn } from "../i18n/account";
import { accounts } from "../rpc";
import { forgetAccount, loadAccount } from "../session";
import { announce, Button, Card, Notice } from "../ui";
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
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={t("account.burn.title")}
        action={t("account.burn")}
        busy={t("account.burn.busy")}
        onConfirm={burn}
      >
        <p>{t("account.burn.text")}</p>
      </ConfirmCall>
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
    setOpen(false);
  };
  const destroy = () =>
    submission.run(
      async () => {
        await accounts.destroyAccount({ confirmation: password });
        setPassword("");
        onDestroyed();
        forgetAccount();
      },
      checkPassword("password", password),
    );
  return (
    <div class="danger-row">
      <p class="muted">{t("account.destroy.hint")}</p>
      <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
        {t("account.destroy")}
      </Button>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={close}
        title={t("account.destroy.title")}
        action={t("account.destroy.submit")}
        busy={t("account.destroy.busy")}
        onConfirm={destroy}
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
      </ConfirmCall>
    </div>
  );
}
