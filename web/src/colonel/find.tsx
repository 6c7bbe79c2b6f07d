import { useState } from "preact/hooks";
import { dateOf } from "../format";
import { SubmitButton } from "../forms/formerror";
import { type Problem, useSubmit } from "../forms/submit";
import { type Account, Role } from "../gen/hush/v1/account_pb";
import type { FindAccountResponse } from "../gen/hush/v1/colonel_service_pb";
import { number } from "../i18n";
import { t } from "../i18n/colonel";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { colonel } from "../rpc";
import { account as own } from "../session";
import { announce, Card, Facts, Field, Form, Notice, Relative, TextInput, Time } from "../ui";
import { Changes, type Outcome } from "./changes";

/** FindAccount finds an account by its exact address, shows it, and changes it. */
export function FindAccount({ onChanged }: { onChanged: () => void }) {
  const [name, setName] = useState("");
  const [found, setFound] = useState<FindAccountResponse>();
  const [done, setDone] = useState("");
  const submission = useSubmit(findProblem);
  const find = () =>
    submission.run(
      async () => {
        setDone("");
        setFound(undefined);
        const answer = await colonel.findAccount({ account: name.trim() });
        setFound(answer);
        announce(t("colonel.find.found", { address: answer.account?.address ?? "" }));
      },
      name.trim() ? undefined : { field: "account", text: t("colonel.find.missing") },
    );
  const changed = async ({ text, gone }: Outcome) => {
    setDone(text);
    announce(text);
    onChanged();
    // A change also ends sessions and tokens. If the account cannot be shown again, it is not shown as it was.
    setFound(
      gone ? undefined : await colonel.findAccount({ account: found?.account?.accountId }).catch(() => undefined),
    );
  };
  return (
    <Card title={t("colonel.find")}>
      <p class="muted">{t("colonel.find.lead")}</p>
      <div ref={submission.area}>
        <Form onSend={find} label={t("colonel.find")}>
          <Field label={t("colonel.find.name")} error={submission.errorAt("account")}>
            <TextInput
              inputMode="email"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              maxLength={320}
              value={name}
              onValue={setName}
            />
          </Field>
          <SubmitButton submission={submission} text={t("colonel.find.submit")} busy={t("colonel.find.busy")} />
        </Form>
      </div>
      {done && <Notice kind="good">{done}</Notice>}
      {found?.account && <Found key={found.account.accountId} found={found} of={found.account} onChanged={changed} />}
    </Card>
  );
}

function findProblem(thrown: unknown): Problem {
  const gone = asRefusal(thrown).code === "not_found";
  return { field: "account", text: gone ? t("colonel.find.none") : problemText(thrown) };
}

interface FoundProps {
  found: FindAccountResponse;
  of: Account;
  onChanged: (outcome: Outcome) => void;
}

function Found({ found, of, onChanged }: FoundProps) {
  const [created, seen] = [dateOf(of.createTime), dateOf(of.signInTime)];
  return (
    <div class="stack">
      <Facts
        rows={[
          [t("colonel.account.address"), <span dir="auto">{of.address}</span>],
          [t("colonel.find.id"), <code>{of.accountId}</code>],
          [t("colonel.find.state"), <States of={of} />],
          [t("colonel.account.created"), created && <Time date={created} />],
          [t("colonel.account.signed_in"), seen ? <Relative date={seen} /> : t("colonel.account.never")],
          [t("colonel.account.secrets"), number(Number(of.tally?.secretsCreated ?? 0))],
          [t("colonel.account.opened"), number(Number(of.tally?.secretsShared ?? 0))],
          [t("colonel.count.sessions"), number(found.sessions.length)],
          [t("colonel.find.tokens"), found.apiTokens.map((token) => token.name).join(", ")],
          [t("colonel.find.domains"), found.domains.map((domain) => domain.displayDomain).join(", ")],
        ]}
      />
      {own.value?.accountId === of.accountId ? (
        <Notice kind="info">{t("colonel.find.own")}</Notice>
      ) : (
        <Changes of={of} onChanged={onChanged} />
      )}
    </div>
  );
}

function States({ of }: { of: Account }) {
  const plain = of.role !== Role.COLONEL && of.verified && !of.disabled;
  return (
    <span class="row">
      {plain && <span class="badge badge-good">{t("colonel.find.active")}</span>}
      {of.role === Role.COLONEL && <span class="badge badge-accent">{t("colonel.account.colonel")}</span>}
      {!of.verified && <span class="badge badge-warn">{t("colonel.account.unverified")}</span>}
      {of.disabled && <span class="badge badge-bad">{t("colonel.account.disabled")}</span>}
    </span>
  );
}
