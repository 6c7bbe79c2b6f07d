import { type Deed, type Problem, useDeed } from "../account/deed";
import { Tell } from "../account/tell";
import { type Domain, DomainCheck_Kind } from "../gen/hush/v1/domain_pb";
import { rich, t } from "../i18n/more";
import { problemText } from "../problem";
import { asRefusal } from "../refusal";
import { domains } from "../rpc";
import { policy } from "../session";
import { announce, Button, Card, Icon, Notice } from "../ui";
import { Checks } from "./checks";
import { DnsRecord } from "./record";
import { Stage, Stages } from "./stages";
import { isVerified } from "./standing";

interface ProofProps {
  domain: Domain;
  onChange: (domain: Domain) => void;
}

/** Proof leads to a verified domain, and afterwards shows that it still is. */
export function Proof({ domain, onChange }: ProofProps) {
  const deed = useDeed(verifyProblem);
  const verify = () =>
    deed.do(async () => {
      const next = (await domains.verifyDomain({ domain: domain.domainId })).domain;
      if (next) {
        onChange(next);
        announce(isVerified(next) ? t("domain.verify.succeeded") : t("domain.verify.not_yet"));
      }
    });
  const props = { domain, deed, verify };
  return isVerified(domain) ? <Standing {...props} /> : <Way {...props} />;
}

interface ViewProps {
  domain: Domain;
  deed: Deed;
  verify: () => void;
}

function Way({ domain, deed, verify }: ViewProps) {
  const found = (kind: DomainCheck_Kind) => domain.checks.some((check) => check.kind === kind && check.passed);
  const txt = found(DomainCheck_Kind.TXT);
  const address = found(DomainCheck_Kind.ADDRESS);
  return (
    <Card title={t("domain.way.title")}>
      <Stages label={t("domain.way.title")}>
        <Stage number={1} state="done" title={t("domain.stage.add")}>
          <p>{rich("domain.stage.add.done", { name: <strong>{domain.displayDomain}</strong> })}</p>
        </Stage>
        <Stage number={2} state={txt ? "done" : "now"} title={t("domain.stage.txt")}>
          <TxtRecord domain={domain} />
        </Stage>
        <Stage number={3} state={address ? "done" : txt ? "now" : "later"} title={t("domain.stage.point")}>
          <Pointing domain={domain} />
        </Stage>
        <Stage number={4} state={txt && address ? "now" : "later"} title={t("domain.stage.verify")}>
          <p>{t("domain.stage.verify.text")}</p>
          <div class="row">
            <VerifyButton deed={deed} verify={verify} kind="primary" label={t("domain.verify")} />
          </div>
          <Tell deed={deed} />
          <Checks domain={domain} heading="h4" />
        </Stage>
      </Stages>
    </Card>
  );
}

function Standing({ domain, deed, verify }: ViewProps) {
  const lapsed = domain.checks.some((check) => check.kind === DomainCheck_Kind.TXT && !check.passed);
  return (
    <Card title={t("domain.checks.title")}>
      {lapsed && <Notice kind="warn">{t("domain.lapsed")}</Notice>}
      {!domain.resolving && <Notice>{t("domain.not_resolving")}</Notice>}
      <Checks domain={domain} heading="h3" />
      <div class="row">
        <VerifyButton deed={deed} verify={verify} kind="plain" label={t("domain.verify.again")} />
      </div>
      <Tell deed={deed} />
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
  deed: Deed;
  verify: () => void;
  kind: "primary" | "plain";
  label: string;
}

function VerifyButton({ deed, verify, kind, label }: VerifyButtonProps) {
  return (
    <Button kind={kind} icon="refresh" busy={deed.busy} onClick={verify}>
      {deed.busy ? t("domain.verify.busy") : label}
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
          base: <code>{domain.baseDomain}</code>,
          host: <code class="unbroken">{domain.txtValidationHost}</code>,
        })}
      </p>
    </>
  );
}

/** Pointing tells how the name leads here. */
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
            <p class="muted small">{rich("domain.point.apex", { host: <code class="unbroken">{host}</code> })}</p>
          )}
        </>
      )}
    </>
  );
}

function isAddress(host: string): boolean {
  return host.includes(":") || /^\d+(\.\d+){3}$/.test(host);
}
