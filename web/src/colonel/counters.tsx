import { dateOf, duration, secondsOf, size } from "../format";
import type { GetIndexResponse, StoreFacts } from "../gen/hush/v1/colonel_service_pb";
import { number } from "../i18n";
import { t } from "../i18n/colonel";
import { Card, Facts, Time } from "../ui";
import { Days, Shares } from "./charts";

/** Counters shows the service's counters. */
export function Counters({ index }: { index: GetIndexResponse }) {
  const c = index.counts;
  const tiles: [string, bigint | undefined][] = [
    [t("colonel.count.secrets"), c?.secrets],
    [t("colonel.count.created"), c?.secretsCreated],
    [t("colonel.count.metadata"), c?.metadata],
    [t("colonel.count.accounts"), c?.accounts],
    [t("colonel.count.sessions"), c?.sessions],
    [t("colonel.count.domains"), c?.domains],
    [t("colonel.count.mails"), c?.emailsSent],
    [t("colonel.count.queued"), c?.queuedMails],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, count]) => (
        <div key={name} class="tile">
          <dt>{name}</dt>
          <dd>{number(Number(count ?? 0))}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many days count as recent for accounts. */
const recentDays = 30;

/** Charts shows what became of secrets, new accounts and feedback. */
export function Charts({ index }: { index: GetIndexResponse }) {
  const c = index.counts;
  const signUps = index.recentAccounts.flatMap((account) => dateOf(account.createTime) ?? []);
  const hidden = Number(c?.recentAccounts ?? 0) - signUps.length;
  return (
    <div class="charts">
      <Card title={t("colonel.outcomes")}>
        <Shares
          label={t("colonel.outcomes")}
          parts={[
            { name: t("colonel.outcomes.opened"), count: Number(c?.secretsShared ?? 0), color: "a" },
            { name: t("colonel.outcomes.waiting"), count: Number(c?.secrets ?? 0), color: "b" },
            { name: t("colonel.outcomes.burned"), count: Number(c?.secretsBurned ?? 0), color: "c" },
            { name: t("colonel.outcomes.expired"), count: Number(c?.secretsExpired ?? 0), color: "d" },
          ]}
        />
      </Card>
      <Card title={t("colonel.signups")}>
        <Days label={t("colonel.signups")} moments={signUps} days={recentDays} />
        {hidden > 0 && <p class="muted small">{t("colonel.signups.newest", { count: number(signUps.length) })}</p>}
      </Card>
      <Card title={t("colonel.feedback_ages")}>
        <Shares
          label={t("colonel.feedback_ages")}
          parts={[
            { name: t("colonel.feedback.today"), count: Number(c?.todayFeedback ?? 0), color: "a" },
            { name: t("colonel.feedback.yesterday"), count: Number(c?.yesterdayFeedback ?? 0), color: "b" },
            { name: t("colonel.feedback.older"), count: Number(c?.olderFeedback ?? 0), color: "c" },
          ]}
        />
      </Card>
    </div>
  );
}

/** LastBackup shows when the service made its last backup itself. */
function LastBackup({ index }: { index: GetIndexResponse }) {
  const backups = index.backups;
  if (!backups) {
    return <>{t("colonel.store.backup.off")}</>;
  }
  const last = dateOf(backups.lastTime);
  return (
    <>
      {last ? (
        <>
          <Time date={last} /> ({size(Number(backups.bytes))})
        </>
      ) : (
        t("colonel.store.backup.none")
      )}
      {backups.failing && (
        <p class="small">
          <span class="badge badge-bad">{t("colonel.store.backup.failing")}</span>
        </p>
      )}
    </>
  );
}

/** FreeSpace shows the free space of the disk, and whether it is too little to share. */
function FreeSpace({ store }: { store: StoreFacts }) {
  return (
    <>
      {size(Number(store.freeBytes))}
      {store.diskFull && (
        <p class="small">
          <span class="badge badge-bad">{t("colonel.store.full")}</span>
        </p>
      )}
    </>
  );
}

/** StoreAndBuild shows the store and the build. */
export function StoreAndBuild({ index }: { index: GetIndexResponse }) {
  const { store, build } = index;
  const started = dateOf(build?.startTime);
  const backends: Record<string, string> = {
    bolt: t("colonel.store.bolt"),
    memory: t("colonel.store.memory"),
    postgres: t("colonel.store.postgres"),
  };
  const backend = store?.backend ?? "";
  return (
    <div class="columns">
      <Card title={t("colonel.store")}>
        <Facts
          rows={[
            [t("colonel.store.backend"), backends[backend] ?? backend],
            [t("colonel.store.live"), size(Number(store?.liveBytes ?? 0))],
            [t("colonel.store.audit"), size(Number(store?.auditBytes ?? 0))],
            [t("colonel.store.file"), store?.fileBytes ? size(Number(store.fileBytes)) : ""],
            [t("colonel.store.free"), (store?.freeBytes || store?.diskFull) && <FreeSpace store={store} />],
            [t("colonel.store.backup"), backend === "bolt" && <LastBackup index={index} />],
          ]}
        />
      </Card>
      <Card title={t("colonel.build")}>
        <Facts
          rows={[
            [t("colonel.build.version"), build?.version],
            [
              t("colonel.build.revision"),
              build?.revision && (
                <code dir="ltr" class="unbroken">
                  {build.revision.slice(0, 12)}
                </code>
              ),
            ],
            [t("colonel.build.go"), build?.goVersion],
            [t("colonel.build.start"), started && <Time date={started} />],
            [t("colonel.build.uptime"), build?.uptime && duration(secondsOf(build.uptime))],
          ]}
        />
      </Card>
    </div>
  );
}
