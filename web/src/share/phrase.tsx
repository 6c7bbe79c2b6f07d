import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n/share";
import { problemText } from "../problem";
import { announce, Button, Notice } from "../ui";
import { CopyButton } from "../ui/copy";
import { bitsPerWord, usual, words } from "./generate/words";
import { Strength } from "./strength";

interface PhraseProps {
  /** The passphrase in the form. */
  value: string;
  onValue: (passphrase: string) => void;
  /** The passphrase that was drawn last. */
  drawn: string;
  onDrawn: (passphrase: string) => void;
}

/** Phrase draws a passphrase of words when it appears, and shows it while it is the one in the form. */
export default function Phrase({ value, onValue, drawn, onDrawn }: PhraseProps) {
  const current = useRef(true);
  const [problem, setProblem] = useState("");
  const draw = async () => {
    const phrase = await words({ count: usual, separator: "-", capitals: false });
    if (current.current) {
      onDrawn(phrase);
      onValue(phrase);
    }
  };
  const again = () => {
    setProblem("");
    draw().then(
      () => announce(t("generate.done")),
      (thrown: unknown) => setProblem(problemText(thrown)),
    );
  };
  useEffect(() => {
    if (!drawn) {
      again();
    }
    return () => {
      current.current = false;
    };
  }, []);
  const shown = drawn !== "" && drawn === value;
  return (
    <div class="stack-s">
      {shown && (
        <output class="generated mono" aria-label={t("phrase.result")}>
          {drawn}
        </output>
      )}
      {problem && <Notice kind="bad">{problem}</Notice>}
      {shown && <Strength bits={usual * bitsPerWord} />}
      {shown && <p class="field-hint">{t("phrase.hint")}</p>}
      <div class="row">
        {shown && (
          <CopyButton size="small" text={drawn}>
            {t("phrase.copy")}
          </CopyButton>
        )}
        <Button size="small" icon="refresh" onClick={again}>
          {t("generate.again")}
        </Button>
      </div>
    </div>
  );
}
