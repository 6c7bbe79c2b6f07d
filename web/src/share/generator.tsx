import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../i18n/share";
import { problemText } from "../problem";
import { announce, Button, Checkbox, Field, Notice, Segmented } from "../ui";
import { CopyButton } from "../ui/copy";
import { type CharacterChoice, characterBits, characters, longest, shortest } from "./generate/characters";
import { bitsPerWord, fewest, most, usual, type WordChoice, words } from "./generate/words";
import { Strength } from "./strength";

type Kind = "password" | "words";

/** What is generated. The choices last until the page is closed. */
const kindChoice = signal<Kind>("password");
const charChoice = signal<CharacterChoice>({
  length: 20,
  uppercase: true,
  lowercase: true,
  numbers: true,
  symbols: false,
  unambiguous: true,
});
const wordChoice = signal<WordChoice>({ count: usual, separator: "-", capitals: false });

interface GeneratorProps {
  text: string;
  onText: (text: string) => void;
}

/** Generator generates a secret in the browser and shows it before it is shared. */
export default function Generator({ text, onText }: GeneratorProps) {
  const [kind, chars, phrase] = [kindChoice.value, charChoice.value, wordChoice.value];
  const [problem, setProblem] = useState("");
  const latest = useRef(0);
  const has = useRef(text !== "");
  const draw = async () => {
    const turn = ++latest.current;
    let [drawn, problem] = ["", ""];
    try {
      drawn = kind === "words" ? await words(phrase) : characters(chars);
    } catch (thrown) {
      problem = problemText(thrown);
    }
    if (turn === latest.current) {
      setProblem(problem);
      onText(drawn);
    }
    return drawn;
  };
  useEffect(() => {
    if (!has.current) {
      void draw();
    }
    has.current = false; // what a draft brings along stays until a choice changes
    return () => {
      latest.current += 1;
    };
  }, [kind, chars, phrase]);
  const bits = kind === "words" ? phrase.count * bitsPerWord : characterBits(chars);
  return (
    <div class="stack">
      <output class="generated mono" aria-label={t("generate.result")}>
        {text || t("generate.none")}
      </output>
      <div class="row row-apart">
        <Strength bits={bits} />
        <div class="row">
          <Button
            size="small"
            icon="refresh"
            onClick={() => {
              void draw().then((drawn) => drawn && announce(t("generate.done")));
            }}
          >
            {t("generate.again")}
          </Button>
          {text && <CopyButton size="small" text={text} />}
        </div>
      </div>
      {problem && <Notice kind="bad">{problem}</Notice>}
      <Segmented
        label={t("generate.kind")}
        value={kind}
        onValue={(next) => {
          kindChoice.value = next;
        }}
        options={[
          ["password", t("generate.kind.password")],
          ["words", t("generate.kind.words")],
        ]}
      />
      {kind === "words" ? (
        <WordOptions
          value={phrase}
          onValue={(next) => {
            wordChoice.value = next;
          }}
        />
      ) : (
        <CharOptions
          value={chars}
          onValue={(next) => {
            charChoice.value = next;
          }}
        />
      )}
    </div>
  );
}

interface RangeProps {
  label: string;
  min: number;
  max: number;
  value: number;
  onValue: (value: number) => void;
}

function Range({ label, min, max, value, onValue }: RangeProps) {
  return (
    <Field label={label}>
      <RangeInput {...{ label, min, max, value, onValue }} />
    </Field>
  );
}

function RangeInput({ label, min, max, value, onValue }: RangeProps) {
  return (
    <div class="range">
      <input
        type="range"
        aria-label={label}
        min={min}
        max={max}
        value={value}
        onInput={(event) => onValue(event.currentTarget.valueAsNumber)}
      />
      <output>{value}</output>
    </div>
  );
}

interface OptionsProps<C> {
  value: C;
  onValue: (value: C) => void;
}

function CharOptions({ value, onValue }: OptionsProps<CharacterChoice>) {
  const box = (name: keyof Omit<CharacterChoice, "length">) => (
    <Checkbox checked={value[name]} onChecked={(on) => onValue({ ...value, [name]: on })}>
      {t(`generate.${name}`)}
    </Checkbox>
  );
  return (
    <>
      <Range
        label={t("generate.length")}
        min={shortest}
        max={longest}
        value={value.length}
        onValue={(length) => onValue({ ...value, length })}
      />
      <fieldset class="row">
        <legend class="visually-hidden">{t("generate.sets")}</legend>
        {box("uppercase")}
        {box("lowercase")}
        {box("numbers")}
        {box("symbols")}
        {box("unambiguous")}
      </fieldset>
    </>
  );
}

function WordOptions({ value, onValue }: OptionsProps<WordChoice>) {
  return (
    <>
      <Range
        label={t("generate.words")}
        min={fewest}
        max={most}
        value={value.count}
        onValue={(count) => onValue({ ...value, count })}
      />
      <Segmented
        label={t("generate.separator")}
        value={value.separator}
        onValue={(separator) => onValue({ ...value, separator })}
        options={[
          ["-", t("generate.separator.hyphen")],
          [" ", t("generate.separator.space")],
          [".", t("generate.separator.dot")],
        ]}
      />
      <Checkbox checked={value.capitals} onChecked={(capitals) => onValue({ ...value, capitals })}>
        {t("generate.capitals")}
      </Checkbox>
    </>
  );
}
