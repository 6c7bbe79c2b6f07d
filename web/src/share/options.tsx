import { useEffect, useState } from "preact/hooks";
import { DomainState } from "../contract";
import { t } from "../i18n";
import { lazy } from "../lazy";
import { domains } from "../rpc";
import { account, policy } from "../session";
import { Button, Field, PasswordInput, Segmented, Select, TextInput } from "../ui";
import { choices, type Draft, defaultTtl, type Problem } from "./draft";
import { type Kind, kinds } from "./kind";

const CustomLifetime = lazy(() => import("./custom"));
const Phrase = lazy(() => import("./phrase"));

/** custom is the choice of a lifetime that the visitor writes. */
const custom = "custom";

interface OptionsProps {
  draft: Draft;
  kind: Kind;
  problem: Problem;
  change: (part: Partial<Draft>) => void;
  onKind: (kind: Kind) => void;
}

/** Options has the fields for everything but the secret itself. */
export function Options(props: OptionsProps) {
  const { draft, problem, change } = props;
  const required = policy.value?.passphraseRequired ?? false;
  return (
    <>
      <div class="columns">
        <div class="stack-s">
          <Field label={t("share.ttl")}>
            <Select
              value={draft.custom ? custom : String(draft.ttl || defaultTtl())}
              onValue={(ttl) =>
                change(
                  ttl === custom ? { custom: { count: "", unit: "hour" } } : { ttl: Number(ttl), custom: undefined },
                )
              }
              options={[...choices(), [custom, t("share.ttl.custom")]]}
            />
          </Field>
          {draft.custom && (
            <CustomLifetime
              value={draft.custom}
              onValue={(next) => change({ custom: next })}
              error={problem.field === "ttl" ? problem.text : undefined}
            />
          )}
        </div>
        <div class="stack-s">
          <Field
            label={t("share.passphrase")}
            optional={!required}
            hint={t("share.passphrase.hint")}
            error={problem.field === "passphrase" ? problem.text : undefined}
          >
            <PasswordInput
              value={draft.passphrase}
              onValue={(passphrase) => change({ passphrase })}
              autocomplete="new-password"
              required={required}
            />
          </Field>
          <PhraseBox {...props} />
        </div>
      </div>
      {kinds().length > 1 && <KindChoice {...props} />}
      {account.value && <Delivery {...props} />}
      <Field
        label={t("share.label")}
        optional
        hint={t("share.label.hint")}
        error={problem.field === "memo" ? problem.text : undefined}
      >
        <TextInput value={draft.memo} onValue={(memo) => change({ memo })} maxLength={500} autocomplete="off" />
      </Field>
    </>
  );
}

/** PhraseBox offers a passphrase of words. What draws one is loaded when it is asked for. */
function PhraseBox({ draft, change }: OptionsProps) {
  const [open, setOpen] = useState(false);
  const [drawn, setDrawn] = useState("");
  return open ? (
    <Phrase
      value={draft.passphrase}
      onValue={(passphrase: string) => change({ passphrase })}
      drawn={drawn}
      onDrawn={setDrawn}
    />
  ) : (
    <div>
      <Button size="small" icon="refresh" onClick={() => setOpen(true)}>
        {t("share.passphrase.generate")}
      </Button>
    </div>
  );
}

/** KindChoice is the choice of who encrypts, and says what it is for. */
function KindChoice({ kind, onKind }: OptionsProps) {
  return (
    <div class="stack-s">
      <Segmented
        label={t("share.kind")}
        value={kind}
        onValue={onKind}
        options={kinds().map((name) => [name, t(`encryption.${name}`)] as const)}
      />
      <p class="field-hint">{t(mails() ? "share.kind.hint.mail" : "share.kind.hint")}</p>
    </div>
  );
}

/** mails reports whether the server would mail a link for this visitor. */
function mails(): boolean {
  return Boolean(account.value && policy.value?.mail);
}

/** Delivery has the fields that need an account: recipients and the domain of the link. */
function Delivery(props: OptionsProps) {
  const { draft, change } = props;
  const [own, setOwn] = useState<string[]>([]);
  useEffect(() => {
    void verifiedDomains().then(setOwn);
  }, []);
  const host = new URL(policy.value?.baseUrl || location.origin).host;
  return !mails() && own.length === 0 ? null : (
    <div class="columns">
      {mails() && <Recipients {...props} />}
      {own.length > 0 && (
        <Field label={t("share.domain")}>
          <Select
            value={draft.domain}
            onValue={(domain) => change({ domain })}
            options={[["", t("share.domain.own", { host })], ...own.map((name) => [name, name] as [string, string])]}
          />
        </Field>
      )}
    </div>
  );
}

/** Recipients is the field for the addresses that the server mails the link to. For that it must know the link. */
function Recipients({ draft, kind, problem, change, onKind }: OptionsProps) {
  if (kind === "end_to_end") {
    return (
      <div class="field">
        <p class="field-label">{t("share.recipient")}</p>
        <p class="field-hint">{t("share.recipient.end_to_end")}</p>
        {kinds().includes("server") && (
          <div>
            <Button size="small" onClick={() => onKind("server")}>
              {t("share.recipient.server")}
            </Button>
          </div>
        )}
      </div>
    );
  }
  return (
    <Field
      label={t("share.recipient")}
      optional
      hint={t("share.recipient.hint")}
      error={problem.field === "recipients" ? problem.text : undefined}
    >
      <TextInput
        inputMode="email"
        autocomplete="off"
        value={draft.recipients}
        onValue={(recipients) => change({ recipients })}
      />
    </Field>
  );
}

async function verifiedDomains(): Promise<string[]> {
  try {
    const { domains: all } = await domains.listDomains({});
    return all.filter((d) => d.state === (DomainState.verified as number)).map((d) => d.displayDomain);
  } catch {
    return []; // Sharing works without them.
  }
}
