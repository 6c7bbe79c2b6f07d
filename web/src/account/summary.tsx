import { dateOf, duration, size } from "../format";
import { type Account, Role } from "../gen/hush/v1/account_pb";
import { number } from "../i18n";
import { t } from "../i18n/account";
import { Card, Facts, Relative, Time } from "../ui";

/** Summary shows the account's details, limits and counters. */
export function Summary({ who }: { who: Account }) {
  const since = dateOf(who.createTime);
  const signedIn = dateOf(who.signInTime);
  return (
    <Card title={t("account.about")}>
      <Facts
        rows={[
          [t("account.address"), <bdi>{who.address}</bdi>],
          [t("account.pending"), who.pendingAddress && <bdi>{who.pendingAddress}</bdi>],
          [t("account.role"), who.role === Role.COLONEL && t("account.role.colonel")],
          [t("account.since"), since && <Time date={since} />],
          [t("account.signed_in"), signedIn && <Relative date={signedIn} />],
          [t("account.longest"), who.ttlCeiling > 0 && duration(Number(who.ttlCeiling))],
          [t("account.largest"), who.secretLimit > 0 && size(Number(who.secretLimit))],
        ]}
      />
      <Tally who={who} />
    </Card>
  );
}

function Tally({ who }: { who: Account }) {
  const counts: [string, bigint | undefined][] = [
    [t("account.tally.created"), who.tally?.secretsCreated],
    [t("account.tally.opened"), who.tally?.secretsShared],
    [t("account.tally.burned"), who.tally?.secretsBurned],
    [t("account.tally.mails"), who.tally?.emailsSent],
  ];
  return (
    <dl class="tally" aria-label={t("account.tally")}>
      {counts.map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(Number(count ?? 0n))}</dd>
        </div>
      ))}
    </dl>
  );
}
