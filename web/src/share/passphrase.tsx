import { useState } from "preact/hooks";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { Button, Field, PasswordInput } from "../ui";

const Phrase = lazy(() => import("./phrase"));

interface PassphraseProps {
  hint: string;
  error: string | undefined;
  required?: boolean;
  value: string;
  onValue: (passphrase: string) => void;
  /** The passphrase that the page drew last. */
  drawn: string;
  onDrawn: (passphrase: string) => void;
}

/** PassphraseFields is the field for a passphrase of the sender's choice, with words that are drawn for it. */
export function PassphraseFields({ hint, error, required = false, ...phrase }: PassphraseProps) {
  return (
    <div class="stack-s share-passphrase">
      <Field label={t("share.passphrase")} optional={!required} hint={hint} error={error}>
        <PasswordInput value={phrase.value} onValue={phrase.onValue} autocomplete="new-password" required={required} />
      </Field>
      <PhraseBox {...phrase} />
    </div>
  );
}

/** PhraseBox offers a passphrase of words. What draws one is loaded when it is asked for. */
function PhraseBox(props: Pick<PassphraseProps, "value" | "onValue" | "drawn" | "onDrawn">) {
  const [open, setOpen] = useState(props.drawn !== "");
  return open ? (
    <Phrase {...props} />
  ) : (
    <div>
      <Button size="small" icon="refresh" onClick={() => setOpen(true)}>
        {t("share.passphrase.generate")}
      </Button>
    </div>
  );
}
