import { useState } from "preact/hooks";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import { secrets } from "../rpc";
import { announce, Button } from "../ui";

interface BurnProps {
  metadata: Metadata;
  onBurned: (metadata: Metadata) => void;
  label: string;
  /** The text of the button that burns. */
  action?: string;
}

/** Burn is a button that destroys a secret unread, after a confirmation. The receipt is enough. */
export function Burn({ metadata, onBurned, label, action }: BurnProps) {
  const [open, setOpen] = useState(false);
  const submission = useSubmit();
  const burn = () =>
    submission.run(async () => {
      const answer = await secrets.burnSecret({ metadataKey: metadata.metadataKey });
      setOpen(false);
      announce(t("receipt.burned"));
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
        onClose={() => setOpen(false)}
        title={t("receipt.burn.title")}
        action={action ?? t("burn.confirm")}
        busy={t("burn.busy")}
        onConfirm={burn}
      >
        <p>{t("receipt.burn.text")}</p>
      </ConfirmCall>
    </>
  );
}
