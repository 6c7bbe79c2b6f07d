import { useState } from "preact/hooks";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n";
import { passphraseText, problemText } from "../problem";
import { asRefusal } from "../refusal";
import { secrets } from "../rpc";
import { account } from "../session";
import { announce, Button, Confirm, Field, Notice, PasswordInput } from "../ui";
import { isLockedForGood } from "./phase";

interface BurnProps {
  metadata: Metadata;
  onBurned: (metadata: Metadata) => void;
  label: string;
}

/** Burn is a button that destroys a secret unread, after a confirmation. */
export function Burn({ metadata, onBurned, label }: BurnProps) {
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const [problem, setProblem] = useState("");
  const asks = metadata.hasPassphrase && !isLockedForGood(metadata) && !isOwn(metadata);
  const close = () => {
    setOpen(false);
    setPassphrase("");
    setProblem("");
  };
  const burn = async () => {
    if (busy) {
      return;
    }
    setBusy(true);
    try {
      const answer = await secrets.burnSecret({ metadataKey: metadata.metadataKey, passphrase });
      close();
      announce(t("result.burned"));
      if (answer.metadata) {
        onBurned(answer.metadata);
      }
    } catch (thrown) {
      setProblem(burnProblem(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button kind="danger" icon="fire" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Confirm
        open={open}
        onClose={close}
        title={t("burn.title")}
        action={busy ? t("burn.busy") : t("burn.confirm")}
        onConfirm={() => void burn()}
        busy={busy}
      >
        <p>{t("burn.text")}</p>
        {asks ? (
          <Field label={t("burn.passphrase")} error={problem}>
            <PasswordInput value={passphrase} onValue={setPassphrase} />
          </Field>
        ) : (
          problem && <Notice kind="bad">{problem}</Notice>
        )}
      </Confirm>
    </>
  );
}

function isOwn(metadata: Metadata): boolean {
  return Boolean(metadata.custid) && metadata.custid === account.value?.address;
}

function burnProblem(thrown: unknown): string {
  const refusal = asRefusal(thrown);
  return refusal.reason === "passphrase" ? passphraseText(refusal) : problemText(thrown);
}
