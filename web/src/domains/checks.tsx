import { dateOf } from "../format";
import { type Domain, type DomainCheck, DomainCheck_Kind } from "../gen/hush/v1/domain_pb";
import { type Key, rich, t } from "../i18n/domains";
import { Icon, Relative } from "../ui";

/** The service's texts for failed checks, with their keys in the catalogue. */
const problems: Record<string, Key> = {
  "No TXT record was found.": "domain.problem.no_txt",
  "There are TXT records, but none has the expected value.": "domain.problem.other_txt",
  "The name is an alias of one outside the domain, where the expected value was not found.": "domain.problem.alias",
  "The expected value was not found.": "domain.problem.not_found",
  "Another account has verified this name.": "domain.problem.taken",
  "The name has no address.": "domain.problem.no_address",
  "The name does not lead to this service alone.": "domain.problem.elsewhere",
  "The addresses of this service are not known.": "domain.problem.no_host",
  "DNS did not answer in time.": "domain.problem.no_answer",
  "DNS could not answer.": "domain.problem.no_dns",
};

/** What the service puts in the place of a private address. */
const notPublic = "not a public address";

function checkProblemText(problem: string): string {
  const key = problems[problem];
  return key ? t(key) : problem;
}

/** Heading is the level of the headings of checks: one below the heading above them. */
type Heading = "h3" | "h4";

/** Checks shows each DNS query and its result. */
export function Checks({ domain, heading }: { domain: Domain; heading: Heading }) {
  if (domain.checks.length === 0) {
    return <p class="muted">{t("domain.checks.none")}</p>;
  }
  return (
    <ul class="checks">
      {domain.checks.map((check) => (
        <Check key={check.kind} check={check} heading={heading} />
      ))}
    </ul>
  );
}

function Check({ check, heading: Title }: { check: DomainCheck; heading: Heading }) {
  const txt = check.kind === DomainCheck_Kind.TXT;
  const time = dateOf(check.time);
  // The address is not required, so its absence is only a warning.
  const look = check.passed && !check.problem ? "good" : txt ? "bad" : "warn";
  return (
    <li class={`check check-${look}`}>
      <Icon name={look === "good" ? "check" : "warn"} />
      <div class="stack-s">
        <Title>{txt ? t("domain.check.txt") : t("domain.check.address")}</Title>
        <p>{verdict(check, txt)}</p>
        <dl class="check-facts">
          <Values name={t("domain.check.asked")} values={[check.name]} />
          <Values name={t("domain.check.expected")} values={check.expected} none={t("domain.check.expected.any")} />
          <Values
            name={t("domain.check.found")}
            values={check.found}
            good={check.expected}
            none={t("domain.check.found.nothing")}
          />
        </dl>
        {time && <p class="muted small">{rich("domain.check.time", { time: <Relative date={time} /> })}</p>}
      </div>
    </li>
  );
}

function verdict(check: DomainCheck, txt: boolean): string {
  if (check.problem) {
    return checkProblemText(check.problem);
  }
  return txt ? t("domain.check.txt.passed") : t("domain.check.address.passed");
}

interface ValuesProps {
  name: string;
  values: string[];
  /** The values that are as expected. */
  good?: string[];
  /** The text if there are no values. */
  none?: string;
}

function Values({ name, values, good, none }: ValuesProps) {
  return (
    <div>
      <dt>{name}</dt>
      {values.length === 0 && <dd class="muted">{none}</dd>}
      {values.map((value, i) => (
        <dd key={i}>
          <code dir="ltr">{value === notPublic ? t("domain.check.not_public") : value}</code>
          {good?.includes(value) && (
            <>
              <Icon name="check" />
              <span class="visually-hidden">{t("domain.check.matches")}</span>
            </>
          )}
        </dd>
      ))}
    </div>
  );
}
