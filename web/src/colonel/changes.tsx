import { useState } from "preact/hooks";
import {
  checkNewPassword,
  checkPassword,
  credentialProblem,
  NewPasswordField,
  PasswordField,
} from "../account/credentials";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import { type Account, Role } from "../gen/hush/v1/account_pb";
import { number } from "../i18n";
import { t } from "../i18n/colonel";
import { colonel } from "../rpc";
import { Button } from "../ui";

/** Change is what an administrator can do to an account of another person. */
type Change = "promote" | "demote" | "disable" | "enable" | "reset" | "destroy";

/** Passwords are what a change takes: the administrator's own, and for a reset the account's next one. */
interface Passwords {
  own: string;
  next: string;
}

/** Outcome is what a change did: a text for people, and whether the account is gone. */
export interface Outcome {
  text: string;
  gone: boolean;
}

interface ChangesProps {
  of: Account;
  onChanged: (outcome: Outcome) => void;
}

/** Changes offers what can be done to an account. Each change takes the administrator's own password. */
export function Changes({ of, onChanged }: ChangesProps) {
  const [change, setChange] = useState<Change>();
  const [open, setOpen] = useState(false);
  const offered: Change[] = [
    of.role === Role.COLONEL ? "demote" : "promote",
    of.disabled ? "enable" : "disable",
    "reset",
    "destroy",
  ];
  return (
    <>
      <div class="row">
        {offered.map((one) => (
          <Button
            key={one}
            kind={one === "destroy" ? "danger" : undefined}
            onClick={() => {
              setChange(one);
              setOpen(true);
            }}
          >
            {t(`colonel.change.${one}`)}
          </Button>
        ))}
      </div>
      {change && (
        <ChangeDialog
          key={change}
          change={change}
          of={of}
          open={open}
          onClose={() => setOpen(false)}
          onDone={onChanged}
        />
      )}
    </>
  );
}

interface DialogProps {
  change: Change;
  of: Account;
  open: boolean;
  onClose: () => void;
  onDone: (outcome: Outcome) => void;
}

const none: Passwords = { own: "", next: "" };

/** ChangeDialog stays when it is closed, so that it gives the focus back; it forgets the passwords. */
function ChangeDialog({ change, of, open, onClose, onDone }: DialogProps) {
  const [passwords, setPasswords] = useState(none);
  const submission = useSubmit(credentialProblem({ password: "password", fresh: "new_password" }));
  const close = () => {
    setPasswords(none);
    onClose();
  };
  const make = () =>
    submission.run(
      async () => {
        const outcome = await call(change, of, passwords);
        close();
        onDone(outcome);
      },
      (change === "reset" ? checkNewPassword("new_password", passwords.next, of.address) : undefined) ??
        checkPassword("password", passwords.own),
    );
  return (
    <ConfirmCall
      submission={submission}
      open={open}
      onClose={close}
      title={t(`colonel.change.${change}.title`, { address: of.address })}
      action={t(`colonel.change.${change}`)}
      busy={t("colonel.change.busy")}
      onConfirm={make}
    >
      <p>{t(`colonel.change.${change}.text`)}</p>
      <div ref={submission.area} class="stack">
        {change === "reset" && (
          <NewPasswordField
            label={t("colonel.change.new_password")}
            value={passwords.next}
            onValue={(next) => setPasswords({ ...passwords, next })}
            error={submission.errorAt("new_password")}
          />
        )}
        <PasswordField
          label={t("colonel.change.password")}
          value={passwords.own}
          onValue={(own) => setPasswords({ ...passwords, own })}
          error={submission.errorAt("password")}
        />
      </div>
    </ConfirmCall>
  );
}

async function call(change: Change, of: Account, { own: password, next }: Passwords): Promise<Outcome> {
  const account = of.accountId;
  const text = t(`colonel.change.${change}.done`, { address: of.address });
  switch (change) {
    case "promote":
    case "demote":
      await colonel.setAccountRole({ account, role: change === "promote" ? Role.COLONEL : Role.CUSTOMER, password });
      break;
    case "disable":
    case "enable":
      await colonel.disableAccount({ account, enable: change === "enable", password });
      break;
    case "reset":
      await colonel.resetAccountPassword({ account, newPassword: next, password });
      break;
    case "destroy": {
      const { burned } = await colonel.destroyOtherAccount({ account, password });
      return { text: `${text} ${t("colonel.change.burned", { count: number(burned) })}`, gone: true };
    }
  }
  return { text, gone: false };
}
