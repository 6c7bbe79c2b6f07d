import { useState } from "preact/hooks";
import { ConfirmCall } from "../forms/confirmcall";
import { type Problem, useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n";
import { passphraseText, problemText } from "../problem";
import { asRefusal } from "../refusal";
import { secrets } from "../rpc";
import { account } from "../session";
import { announce, Button, Field, PasswordInput } from "../ui";
import { isEndToEnd, isLockedForGood } from "./phase";

interface BurnProps {
  metadata: Metadata;
  onBurned: (metadata: Metadata) => void;
  label: string;
  /** The text of the button that burns. */
  action?: string;
}

/** Burn is a button that destroys a secret unread, after a confirmation. */
export function Burn({ metadata, onBurned, label, action }: BurnProps) {
  const [open, setOpen] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const asks = metadata.hasPassphrase && !isEndToEnd(metadata) && !isLockedForGood(metadata) && !isOwn(metadata);
  const submission = useSubmit((thrown) => burnProblem(thrown, asks));
  const close = () => {
    setOpen(false);
    setPassphrase("");
  };
  const burn = () =>
    submission.run(async () => {
      const answer = await secrets.burnSecret({ metadataKey: metadata.metadataKey, passphrase });
      close();
      announce(t("result.burned"));
      if (answer.metadata) {
        onBurned(answer.metadata);
      }
    });
  return (
    <>
      <Button kind="danger" icon="fire" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={close}
        title={t("burn.title")}
        action={action ?? t("burn.confirm")}
        busy={t("burn.busy")}
        onConfirm={burn}
      >
        <p>{t("burn.text")}</p>
        {asks && (
          <div ref={submission.area}>
            <Field label={t("burn.passphrase")} error={submission.errorAt("passphrase")}>
              <PasswordInput value={passphrase} onValue={setPassphrase} />
            </Field>
          </div>
        )}
      </ConfirmCall>
    </>
  );
}

function isOwn(metadata: Metadata): boolean {
  return Boolean(metadata.custid) && metadata.custid === account.value?.address;
}

/** burnProblem returns the problem of a refusal, at the passphrase's field if there is one. */
function burnProblem(thrown: unknown, asks: boolean): Problem {
  const refusal = asRefusal(thrown);
  const wrong = refusal.reason === "passphrase";
  return { field: wrong && asks ? "passphrase" : "", text: wrong ? passphraseText(refusal) : problemText(thrown) };
}
