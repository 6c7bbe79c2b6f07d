import { useState } from "preact/hooks";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t } from "../i18n/receipts";
import { secrets } from "../rpc";
import { announce, Button } from "../ui";
import { isAnswer } from "./phase";

/** BurnWords are the texts of burning a secret. */
interface BurnWords {
  /** The text of the button that asks. */
  label: string;
  title: string;
  text: string;
  /** The text of the button that burns. */
  action: string;
  /** What is announced once it is burned. */
  burned: string;
}

/** burnWords returns the texts for burning what a receipt is of: an answer's say that it is one. */
export function burnWords(metadata: Metadata | undefined): BurnWords {
  if (metadata && isAnswer(metadata)) {
    return {
      label: t("receipt.answer.burn"),
      title: t("receipt.answer.burn.title"),
      text: t("receipt.answer.burn.text"),
      action: t("receipt.answer.burn"),
      burned: t("receipt.answer.burned"),
    };
  }
  return {
    label: t("receipt.burn"),
    title: t("receipt.burn.title"),
    text: t("receipt.burn.text"),
    action: t("burn.confirm"),
    burned: t("receipt.burned"),
  };
}

interface BurnProps {
  metadata: Metadata;
  onBurned: (metadata: Metadata) => void;
  /** The text of the button that asks, in place of its own. */
  label?: string;
  /** The text of the button that burns, in place of its own. */
  action?: string;
}

/** Burn is a button that destroys a secret unread, after a confirmation. The receipt is enough. */
export function Burn({ metadata, onBurned, label, action }: BurnProps) {
  const [open, setOpen] = useState(false);
  const submission = useSubmit();
  const words = burnWords(metadata);
  const burn = () =>
    submission.run(async () => {
      const answer = await secrets.burnSecret({ metadataKey: metadata.metadataKey });
      setOpen(false);
      announce(words.burned);
      if (answer.metadata) {
        onBurned(answer.metadata);
      }
    });
  return (
    <>
      <Button kind="danger" icon="fire" onClick={() => setOpen(true)}>
        {label ?? words.label}
      </Button>
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={words.title}
        action={action ?? words.action}
        busy={t("burn.busy")}
        onConfirm={burn}
      >
        <p>{words.text}</p>
      </ConfirmCall>
    </>
  );
}
