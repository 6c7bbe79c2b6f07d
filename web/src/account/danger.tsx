import { useState } from "preact/hooks";
import type { Account } from "../gen/hush/v1/account_pb";
import { t, tn } from "../i18n/more";
import { accounts } from "../rpc";
import { loadAccount, setAccount } from "../session";
import { keepShrimp } from "../shrimp";
import { announce, Button, Card, Confirm, Notice } from "../ui";
import { checkPassword, credentialProblem, PasswordField } from "./credentials";
import { useDeed } from "./deed";
import { Tell } from "./tell";

interface DangerProps {
  who: Account;
  onDestroyed: () => void;
}

/** Danger is what cannot be undone. */
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
  const deed = useDeed();
  const close = () => {
    deed.forget();
    setOpen(false);
  };
  const burn = () =>
    deed.do(async () => {
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
        action={deed.busy ? t("account.burn.busy") : t("account.burn")}
        onConfirm={burn}
        busy={deed.busy}
      >
        <p>{t("account.burn.text")}</p>
        <Tell deed={deed} />
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
  const deed = useDeed(credentialProblem({ password: "password" }));
  const close = () => {
    setPassword("");
    deed.forget();
    setOpen(false);
  };
  const destroy = () =>
    deed.do(
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
        action={deed.busy ? t("account.destroy.busy") : t("account.destroy.submit")}
        onConfirm={destroy}
        busy={deed.busy}
      >
        <p>{t("account.destroy.text", { address: who.address })}</p>
        <div ref={deed.area}>
          <PasswordField
            label={t("account.destroy.password")}
            value={password}
            onValue={setPassword}
            error={deed.at("password")}
          />
        </div>
        <Tell deed={deed} />
      </Confirm>
    </div>
  );
}
