import { useId, useState } from "preact/hooks";
import { charCount, duration, durationOf } from "../format";
import { SubmitButton } from "../forms/formerror";
import { fieldOf, type Problem, useSubmit } from "../forms/submit";
import { TokenScope } from "../gen/hush/v1/account_pb";
import type { GenerateApiTokenResponse } from "../gen/hush/v1/account_service_pb";
import { t } from "../i18n/account";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { accounts } from "../rpc";
import { Card, Checkbox, Field, Form, Icon, Select, TextInput } from "../ui";
import { scopes } from "./scopes";

/** Draft is the form's content. */
interface Draft {
  name: string;
  scopes: readonly TokenScope[];
  /** In seconds; zero for never. */
  ttl: number;
  /** Whether it replaces the token with the same name. */
  rotate: boolean;
}

const lifetimes = [7, 30, 90, 365].map((days) => days * 86400);
/** A token that can only share does the least harm in the wrong hands, and is what most programs need. */
const empty: Draft = { name: "", scopes: [TokenScope.CONCEAL], ttl: 90 * 86400, rotate: false };
const longest = 64;

/** NewToken is the form that creates a token. */
export function NewToken({ onMade }: { onMade: (answer: GenerateApiTokenResponse) => void }) {
  const [draft, setDraft] = useState(empty);
  const [taken, setTaken] = useState(false);
  const submission = useSubmit(problemOf);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const send = () =>
    submission.run(async () => {
      try {
        onMade(await generate(draft));
        setDraft(empty);
        setTaken(false);
      } catch (thrown) {
        setTaken(asRefusal(thrown).reason === "duplicate");
        throw thrown;
      }
    }, check(draft));
  return (
    <div ref={submission.area}>
      <Form onSend={send} label={t("tokens.new")}>
        <Card title={t("tokens.new")}>
          <div class="columns">
            <Field label={t("tokens.name")} hint={t("tokens.name.hint")} error={submission.errorAt("name")}>
              <TextInput
                autocomplete="off"
                value={draft.name}
                onValue={(name) => {
                  setTaken(false);
                  change({ name, rotate: false });
                }}
              />
            </Field>
            <Field label={t("tokens.expiry")}>
              <Select value={String(draft.ttl)} onValue={(ttl) => change({ ttl: Number(ttl) })} options={expiries()} />
            </Field>
          </div>
          {taken && (
            <Checkbox checked={draft.rotate} onChecked={(rotate) => change({ rotate })}>
              {t("tokens.replace")}
            </Checkbox>
          )}
          <ScopeChoice
            chosen={draft.scopes}
            onChosen={(next) => change({ scopes: next })}
            error={submission.errorAt("scopes")}
          />
          <SubmitButton submission={submission} text={t("tokens.submit")} busy={t("tokens.busy")} />
        </Card>
      </Form>
    </div>
  );
}

function expiries(): [string, string][] {
  return [...lifetimes.map((ttl) => [String(ttl), duration(ttl)] as [string, string]), ["0", t("tokens.expiry.never")]];
}

interface ScopeChoiceProps {
  chosen: readonly TokenScope[];
  onChosen: (chosen: readonly TokenScope[]) => void;
  error: string | undefined;
}

function ScopeChoice({ chosen, onChosen, error }: ScopeChoiceProps) {
  const id = useId();
  const lead = useId();
  return (
    <fieldset class="group stack-s" aria-describedby={error ? `${lead} ${id}` : lead}>
      <legend>{t("tokens.scopes")}</legend>
      <p class="muted small" id={lead}>
        {t("tokens.scopes.lead")}
      </p>
      {error && (
        <p class="field-error" id={id} role="alert">
          <Icon name="warn" />
          <span>{error}</span>
        </p>
      )}
      <div class="columns">
        {scopes.map(([scope, name]) => (
          <Checkbox
            key={scope}
            checked={chosen.includes(scope)}
            hint={t(`tokens.scope.${name}.hint`)}
            onChecked={(on) => onChosen(on ? [...chosen, scope] : chosen.filter((other) => other !== scope))}
          >
            {t(`tokens.scope.${name}`)}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}

/** generate creates the token. No scopes would mean all scopes, so check refuses such a draft. */
async function generate(draft: Draft): Promise<GenerateApiTokenResponse> {
  return accounts.generateApiToken({
    name: draft.name.trim(),
    scopes: [...draft.scopes],
    ttl: draft.ttl > 0 ? durationOf(draft.ttl) : undefined,
    rotate: draft.rotate,
  });
}

function check(draft: Draft): Problem | undefined {
  const name = draft.name.trim();
  if (!name) {
    return { field: "name", text: t("tokens.name.missing") };
  }
  if (charCount(name) > longest) {
    return { field: "name", text: t("tokens.name.long") };
  }
  return draft.scopes.length > 0 ? undefined : { field: "scopes", text: t("tokens.scopes.none") };
}

function problemOf(thrown: unknown): Problem {
  if (asRefusal(thrown).reason === "duplicate") {
    return { field: "name", text: t("tokens.name.duplicate") };
  }
  return { field: fieldOf(thrown, ["name", "scopes"]), text: problemText(thrown) };
}
