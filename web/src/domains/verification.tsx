import { FormError } from "../forms/formerror";
import { type Problem, type Submission, useSubmit } from "../forms/submit";
import { type Domain, DomainCheck_Kind } from "../gen/hush/v1/domain_pb";
import { rich, t } from "../i18n/domains";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { domains } from "../rpc";
import { policy } from "../session";
import { announce, Button, Card, Icon, Notice } from "../ui";
import { isVerified } from "./badge";
import { Checks } from "./checks";
import { DnsRecord } from "./record";
import { Step, Steps } from "./steps";

interface VerificationProps {
  domain: Domain;
  onChange: (domain: Domain) => void;
}

/** Verification shows the steps to verify a domain, and afterwards the result of the latest checks. */
export function Verification({ domain, onChange }: VerificationProps) {
  const submission = useSubmit(verifyProblem);
  const verify = () =>
    submission.run(async () => {
      const next = (await domains.verifyDomain({ domain: domain.domainId })).domain;
      if (next) {
        onChange(next);
        announce(isVerified(next) ? t("domain.verify.succeeded") : t("domain.verify.not_yet"));
      }
    });
  const props = { domain, submission, verify };
  return isVerified(domain) ? <Verified {...props} /> : <Unverified {...props} />;
}

interface ViewProps {
  domain: Domain;
  submission: Submission;
  verify: () => void;
}

function Unverified({ domain, submission, verify }: ViewProps) {
  const found = (kind: DomainCheck_Kind) => domain.checks.some((check) => check.kind === kind && check.passed);
  const txt = found(DomainCheck_Kind.TXT);
  const address = found(DomainCheck_Kind.ADDRESS);
  return (
    <Card title={t("domain.verification.title")}>
      <Steps label={t("domain.verification.title")}>
        <Step number={1} state="done" title={t("domain.step.add")}>
          <p>{rich("domain.step.add.done", { name: <strong>{domain.displayDomain}</strong> })}</p>
        </Step>
        <Step number={2} state={txt ? "done" : "now"} title={t("domain.step.txt")}>
          <TxtRecord domain={domain} />
        </Step>
        <Step number={3} state={address ? "done" : txt ? "now" : "later"} title={t("domain.step.point")}>
          <Pointing domain={domain} />
        </Step>
        <Step number={4} state={txt && address ? "now" : "later"} title={t("domain.step.verify")}>
          <p>{t("domain.step.verify.text")}</p>
          <div class="row">
            <VerifyButton submission={submission} verify={verify} kind="primary" label={t("domain.verify")} />
          </div>
          <FormError submission={submission} />
          <Checks domain={domain} heading="h4" />
        </Step>
      </Steps>
    </Card>
  );
}

function Verified({ domain, submission, verify }: ViewProps) {
  const lapsed = domain.checks.some((check) => check.kind === DomainCheck_Kind.TXT && !check.passed);
  return (
    <Card title={t("domain.checks.title")}>
      {lapsed && <Notice kind="warn">{t("domain.lapsed")}</Notice>}
      {!domain.resolving && <Notice>{t("domain.not_resolving")}</Notice>}
      <Checks domain={domain} heading="h3" />
      <div class="row">
        <VerifyButton submission={submission} verify={verify} kind="plain" label={t("domain.verify.again")} />
      </div>
      <FormError submission={submission} />
      <details>
        <summary>
          <Icon name="down" />
          {t("domain.records")}
        </summary>
        <div class="stack">
          <p class="muted">{t("domain.records.text")}</p>
          <TxtRecord domain={domain} />
          <Pointing domain={domain} />
        </div>
      </details>
    </Card>
  );
}

interface VerifyButtonProps {
  submission: Submission;
  verify: () => void;
  kind: "primary" | "plain";
  label: string;
}

function VerifyButton({ submission, verify, kind, label }: VerifyButtonProps) {
  return (
    <Button kind={kind} icon="refresh" busy={submission.busy} onClick={verify}>
      {submission.busy ? t("domain.verify.busy") : label}
    </Button>
  );
}

function verifyProblem(thrown: unknown): Problem {
  const taken = asRefusal(thrown).reason === "duplicate";
  return { field: "", text: taken ? t("domain.verify.taken") : problemText(thrown) };
}

function TxtRecord({ domain }: { domain: Domain }) {
  return (
    <>
      <p>{rich("domain.txt.text", { base: <strong>{domain.baseDomain}</strong> })}</p>
      <DnsRecord
        type="TXT"
        name={`${domain.txtValidationHost}.${domain.baseDomain}`}
        values={[domain.txtValidationValue]}
      />
      <p class="muted small">
        {rich("domain.txt.short", {
          base: <code dir="ltr">{domain.baseDomain}</code>,
          host: (
            <code dir="ltr" class="unbroken">
              {domain.txtValidationHost}
            </code>
          ),
        })}
      </p>
    </>
  );
}

/** Pointing shows the records that point the name to this service. */
function Pointing({ domain }: { domain: Domain }) {
  const host = new URL(policy.value?.baseUrl || location.origin).hostname.replace(/^\[|\]$/g, "");
  const known = domain.checks.find((check) => check.kind === DomainCheck_Kind.ADDRESS)?.expected ?? [];
  const addresses = isAddress(host) ? [host] : known;
  const alias = !isAddress(host) && !domain.isApex;
  const four = addresses.filter((address) => !address.includes(":"));
  const six = addresses.filter((address) => address.includes(":"));
  return (
    <>
      <p>{rich("domain.point.text", { name: <strong>{domain.displayDomain}</strong> })}</p>
      {alias ? (
        <DnsRecord type="CNAME" name={domain.displayDomain} values={[host]} />
      ) : (
        <>
          {four.length > 0 && <DnsRecord type="A" name={domain.displayDomain} values={four} />}
          {six.length > 0 && <DnsRecord type="AAAA" name={domain.displayDomain} values={six} />}
          {!isAddress(host) && (
            <p class="muted small">
              {rich("domain.point.apex", {
                host: (
                  <code dir="ltr" class="unbroken">
                    {host}
                  </code>
                ),
              })}
            </p>
          )}
        </>
      )}
    </>
  );
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^\d+(\.\d+){3}$/.test(host);
}
