import { useState } from "preact/hooks";
import { contrast, hex } from "../brand";
import { charCount } from "../format";
import { FormError } from "../forms/formerror";
import { type Problem, useSubmit } from "../forms/submit";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { locales, number } from "../i18n";
import { type Key, t, tn } from "../i18n/domains";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { domains } from "../rpc";
import { announce, Button, Card, Checkbox, Field, Form, Segmented, Select, TextArea, TextInput } from "../ui";
import { changeOf, type Draft, draftOf, type TextName, textNames, texts } from "./draft";
import { type Moment, Preview } from "./preview";

interface BrandEditorProps {
  domain: Domain;
  onChange: (domain: Domain) => void;
}

/** BrandEditor edits the brand of a domain, with a preview. */
export function BrandEditor({ domain, onChange }: BrandEditorProps) {
  const saved = draftOf(domain.brand);
  const [draft, setDraft] = useState(saved);
  const [moment, setMoment] = useState<Moment>("before");
  const submission = useSubmit(brandProblem);
  const change = changeOf(saved, draft);
  const edit = (part: Partial<Draft>) => {
    submission.clear();
    setDraft({ ...draft, ...part });
  };
  const save = () =>
    submission.run(async () => {
      const answer = await domains.updateDomainBrand({ domain: domain.domainId, ...change });
      if (answer.domain) {
        onChange(answer.domain);
        setDraft(draftOf(answer.domain.brand));
      }
      announce(t("brand.saved"));
    }, firstProblem(draft));
  const problemAt = (name: TextName | "color") => submission.errorAt(name) ?? problemOf(draft, name);
  return (
    <Card title={t("brand.title")}>
      <p class="muted">{t("brand.lead")}</p>
      <div class="brand-editor">
        <div ref={submission.area} onFocusIn={(event) => setMoment((shown) => momentOf(event.target) ?? shown)}>
          <Form label={t("brand.title")} onSend={() => change && save()}>
            <ColorField draft={draft} edit={edit} problem={problemAt("color")} />
            <StyleFields draft={draft} edit={edit} />
            {textNames.map((name) => (
              <TextField key={name} name={name} draft={draft} edit={edit} problem={problemAt(name)} />
            ))}
            <Visitors draft={draft} edit={edit} />
            <FormError submission={submission} />
            <div class="row">
              <Button type="submit" kind="primary" busy={submission.busy} disabled={!change}>
                {submission.busy ? t("brand.saving") : t("brand.save")}
              </Button>
              <Button kind="quiet" disabled={!change} onClick={() => edit(saved)}>
                {t("brand.discard")}
              </Button>
              <span class="muted small">{change ? t("brand.unsaved") : t("brand.unchanged")}</span>
            </div>
          </Form>
        </div>
        <Preview domain={domain} draft={draft} moment={moment} onMoment={setMoment} />
      </div>
    </Card>
  );
}

/** momentOf returns the moment that shows the text of a field. The other fields are seen at every moment. */
function momentOf(field: EventTarget | null): Moment | undefined {
  const name = field instanceof HTMLTextAreaElement ? field.name : "";
  return name === "description"
    ? "before"
    : name === "before" || name === "beside" || name === "after"
      ? name
      : undefined;
}

/** brandProblem returns the problem of a refusal, beside the field that it concerns. */
function brandProblem(thrown: unknown): Problem {
  const { field } = asRefusal(thrown);
  const name = textNames.find((n) => texts[n].field === field) ?? (field === "primary_color" ? "color" : "");
  return { field: name, text: problemText(thrown) };
}

/** problemOf returns what is wrong with a field before it is sent. */
function problemOf(draft: Draft, name: TextName | "color"): string | undefined {
  if (name === "color") {
    return draft.color && !hex(draft.color) ? t("brand.color.invalid") : undefined;
  }
  const over = charCount(draft[name]) - texts[name].limit;
  return over > 0 ? tn("brand.text.over", over) : undefined;
}

function firstProblem(draft: Draft): Problem | undefined {
  for (const field of ["color", ...textNames] as const) {
    const text = problemOf(draft, field);
    if (text) {
      return { field, text };
    }
  }
  return undefined;
}

interface PartProps {
  draft: Draft;
  edit: (part: Partial<Draft>) => void;
  problem?: string | undefined;
}

/** The colour that the picker shows if none is set. */
const ownColor = "#0b5a60";

function ColorField({ draft, edit, problem }: PartProps) {
  return (
    <Field label={t("brand.color")} optional hint={inkText(draft)} error={problem}>
      <div class="color">
        <input
          type="color"
          class="color-well"
          aria-label={t("brand.color.choose")}
          value={hex(draft.color) || ownColor}
          onInput={(event) => edit({ color: event.currentTarget.value })}
        />
        <TextInput
          class="mono"
          dir="ltr"
          placeholder={ownColor}
          autocomplete="off"
          spellcheck={false}
          value={draft.color}
          onValue={(color) => edit({ color: color.trim() })}
        />
        {draft.color && (
          <Button kind="quiet" onClick={() => edit({ color: "" })}>
            {t("brand.color.none")}
          </Button>
        )}
      </div>
    </Field>
  );
}

const leastContrast = 4.5;

/** inkText says which text colour a button gets, and why. */
function inkText(draft: Draft): string {
  const color = hex(draft.color);
  if (!color) {
    return t("brand.color.hint");
  }
  const light = contrast(color, "#ffffff");
  const dark = contrast(color, "#000000");
  const best = light >= dark ? "light" : "dark";
  if (draft.ink !== "auto" && draft.ink !== best && (draft.ink === "light" ? light : dark) < leastContrast) {
    return t(best === "light" ? "brand.ink.instead.light" : "brand.ink.instead.dark");
  }
  const used = draft.ink === "auto" ? best : draft.ink;
  const ratio = number(used === "light" ? light : dark, { maximumFractionDigits: 1 });
  return t(used === "light" ? "brand.ink.used.light" : "brand.ink.used.dark", { ratio });
}

function StyleFields({ draft, edit }: PartProps) {
  return (
    <>
      <Segmented
        label={t("brand.ink")}
        value={draft.ink}
        onValue={(ink) => edit({ ink })}
        options={[
          ["auto", t("brand.ink.auto")],
          ["light", t("brand.ink.light")],
          ["dark", t("brand.ink.dark")],
        ]}
      />
      <Segmented
        label={t("brand.font")}
        value={draft.font}
        onValue={(font) => edit({ font })}
        options={[
          ["sans", t("brand.font.sans")],
          ["serif", t("brand.font.serif")],
          ["mono", t("brand.font.mono")],
        ]}
      />
      <Segmented
        label={t("brand.corner")}
        value={draft.corner}
        onValue={(corner) => edit({ corner })}
        options={[
          ["rounded", t("brand.corner.rounded")],
          ["square", t("brand.corner.square")],
          ["pill", t("brand.corner.pill")],
        ]}
      />
    </>
  );
}

/** Visitors sets the language and what visitors without an account may do. */
function Visitors({ draft, edit }: PartProps) {
  return (
    <>
      <Field label={t("brand.locale")} optional hint={t("brand.locale.hint")}>
        <Select
          value={draft.locale}
          onValue={(locale) => edit({ locale })}
          options={[["", t("brand.locale.none")], ...Object.entries(locales)]}
        />
      </Field>
      <fieldset class="group stack-s">
        <legend>{t("brand.visitors")}</legend>
        <Checkbox checked={draft.homepage} onChecked={(homepage) => edit({ homepage })}>
          {t("brand.visitors.homepage")}
        </Checkbox>
        <Checkbox checked={draft.api} onChecked={(api) => edit({ api })}>
          {t("brand.visitors.api")}
        </Checkbox>
      </fieldset>
    </>
  );
}

const labels: Record<TextName, Key> = {
  description: "brand.description",
  before: "brand.before",
  beside: "brand.beside",
  after: "brand.after",
};

function TextField({ name, draft, edit, problem }: PartProps & { name: TextName }) {
  const used = number(charCount(draft[name]));
  const hint = t("brand.text.count", { used, limit: number(texts[name].limit) });
  return (
    <Field label={t(labels[name])} optional hint={hint} error={problem}>
      <TextArea
        rows={2}
        name={name}
        value={draft[name]}
        // The service refuses control characters other than new lines.
        onValue={(text) => edit({ [name]: text.replaceAll("\t", " ") })}
      />
    </Field>
  );
}
