import { useState } from "preact/hooks";
import { Places } from "../account/places";
import { RequireAccount } from "../account/requireaccount";
import { DomainBadge, isVerified } from "../domains/badge";
import { hostIn } from "../domains/host";
import { imageUrl } from "../domains/image";
import { Step, Steps } from "../domains/steps";
import { dateOf } from "../format";
import { SubmitButton } from "../forms/formerror";
import { type Problem, useSubmit } from "../forms/submit";
import type { Domain } from "../gen/hush/v1/domain_pb";
import { rich, t } from "../i18n/domains";
import { LoadState, useLoaded } from "../loaded";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { navigate } from "../router";
import { domains } from "../rpc";
import { announce, Card, Field, Form, Icon, Page, Relative, TextInput } from "../ui";

/** Domains lists the account's domains, and adds one. */
export default function Domains() {
  return <RequireAccount>{() => <AllDomains />}</RequireAccount>;
}

function AllDomains() {
  const list = useLoaded(async () => (await domains.listDomains({})).domains);
  return (
    <Page title={t("domains.title")} lead={t("domains.lead")}>
      <Places />
      <LoadState of={list} />
      {list.value && list.value.length > 0 && <List domains={list.value} />}
      {list.value && <Add first={list.value.length === 0} />}
    </Page>
  );
}

function List({ domains: all }: { domains: Domain[] }) {
  return (
    <Card title={t("domains.list")}>
      <ul class="domain-list">
        {all.map((domain) => (
          <li key={domain.domainId}>
            <DomainIcon domain={domain} />
            <div class="stack-s">
              <a class="domain-name" href={`/account/domains/${encodeURIComponent(domain.displayDomain)}`}>
                <bdi>{domain.displayDomain}</bdi>
              </a>
              <LastCheck domain={domain} />
            </div>
            <DomainBadge domain={domain} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function DomainIcon({ domain }: { domain: Domain }) {
  const url = imageUrl(domain, "icon");
  return url ? (
    <img class="domain-mark" src={url} alt="" width={40} height={40} />
  ) : (
    <span class="domain-mark">
      <Icon name="globe" />
    </span>
  );
}

/** LastCheck shows the details of a domain in the list. */
function LastCheck({ domain }: { domain: Domain }) {
  const checked = dateOf(domain.checkTime);
  if (isVerified(domain) && !domain.resolving) {
    return <span class="muted small">{t("domains.not_resolving")}</span>;
  }
  return (
    <span class="muted small">
      {checked ? rich("domains.checked", { time: <Relative date={checked} /> }) : t("domains.unchecked")}
    </span>
  );
}

function addProblem(thrown: unknown): Problem {
  const refusal = asRefusal(thrown);
  const own = refusal.field === "domain" && { invalid: t("domains.add.invalid"), duplicate: t("domains.add.twice") };
  const text = own ? own[refusal.reason as keyof typeof own] : undefined;
  return text ? { field: "domain", text } : { field: "", text: problemText(thrown) };
}

/** Add is the form that adds a domain. It shows the steps that follow. */
function Add({ first }: { first: boolean }) {
  const [name, setName] = useState("");
  const submission = useSubmit(addProblem);
  const wanted = hostIn(name);
  const add = () =>
    submission.run(
      async () => {
        const { domain } = await domains.addDomain({ domain: wanted });
        if (domain) {
          announce(t("domains.added", { name: domain.displayDomain }));
          navigate(`/account/domains/${encodeURIComponent(domain.displayDomain)}`);
        }
      },
      wanted ? undefined : { field: "domain", text: t("domains.add.empty") },
    );
  return (
    <Card title={first ? t("domains.first") : t("domains.add")}>
      {first && <p class="muted">{t("domains.first.text")}</p>}
      <Steps label={t("domains.steps")}>
        <Step number={1} state="now" title={t("domain.step.add")}>
          <div ref={submission.area}>
            <Form onSend={add} label={t("domains.add")}>
              <Field label={t("domains.name")} hint={t("domains.name.hint")} error={submission.errorAt("domain")}>
                <TextInput
                  class="mono"
                  dir="ltr"
                  inputMode="url"
                  autocomplete="off"
                  autocapitalize="none"
                  spellcheck={false}
                  placeholder="secrets.example.com"
                  maxLength={512}
                  value={name}
                  onValue={setName}
                />
              </Field>
              <SubmitButton submission={submission} text={t("domains.add.submit")} busy={t("domains.add.busy")} />
            </Form>
          </div>
        </Step>
        <Step number={2} state="later" title={t("domain.step.txt")}>
          <p class="muted">{t("domains.step.txt")}</p>
        </Step>
        <Step number={3} state="later" title={t("domain.step.point")}>
          <p class="muted">{t("domains.step.point")}</p>
        </Step>
        <Step number={4} state="later" title={t("domain.step.verify")}>
          <p class="muted">{t("domains.step.verify")}</p>
        </Step>
      </Steps>
    </Card>
  );
}
