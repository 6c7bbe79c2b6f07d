import { useEffect, useRef, useState } from "preact/hooks";
import { signInFor } from "../account/returnpath";
import { EncryptionBadge } from "../endtoend/label";
import { dateOf, duration, exact, secondsOf } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { type Key, rich, t } from "../i18n/receipts";
import { lazy } from "../lazy";
import { receiptLink, secretLink } from "../link";
import { problemText } from "../problem";
import { Burn } from "../receipts/burn";
import { follow } from "../receipts/follow";
import { keysIn } from "../receipts/keys";
import {
  type Confirmation,
  confirmationOf,
  endOf,
  isEndToEnd,
  isLockedForGood,
  type Phase,
  phaseOf,
} from "../receipts/phase";
import { Deliveries, Timeline } from "../receipts/timeline";
import { asRefusal } from "../refusal";
import { navigate, type PageProps, place } from "../router";
import { receipts } from "../rpc";
import { account, policy } from "../session";
import type { Created } from "../share/draft";
import { addressOf, keep, made } from "../share/made";
import {
  announce,
  Button,
  Card,
  CopyButton,
  Empty,
  Facts,
  Failure,
  Field,
  Form,
  Icon,
  type IconName,
  LinkButton,
  Loading,
  Notice,
  Page,
  Relative,
  TextInput,
  Time,
} from "../ui";

const Group = lazy(() => import("../receipts/group"));
const GroupLink = lazy(
  () => import("../receipts/grouplink"),
  () => null,
);
const Links = lazy(() => import("../share/result"));
const Ways = lazy(() => import("../share/ways"));

/** Receipt is the sender's page for what one form was shared as: one secret, or a group of them. */
export default function Receipt({ params }: PageProps) {
  const keys = keysIn(params.key ?? place.value.hash);
  const address = addressOf(keys);
  const shared =
    address === addressOf(made.value?.links.map(({ metadata }) => metadata.metadataKey) ?? []) ? made.value : undefined;
  return keys.length > 1 || shared?.rest ? (
    <Group key={address} keys={keys} made={shared} />
  ) : (
    <Single keyOfReceipt={keys[0] ?? ""} created={shared?.links[0]} />
  );
}

interface SingleProps {
  keyOfReceipt: string;
  /** The secret if it was just shared. */
  created: Created | undefined;
}

/** Single is the page for one secret. It updates itself, and begins with the link of one that was just shared. */
function Single({ keyOfReceipt: key, created }: SingleProps) {
  const [metadata, setMetadata] = useState<Metadata | undefined>(created?.metadata);
  const [live, setLive] = useState(true);
  const [over, setOver] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    const end = new AbortController();
    const follower = { onReceipt: setMetadata, onLive: setLive, onOver: () => setOver(true), onGone: setRefused };
    if (key) {
      void follow(key, follower, end.signal);
    }
    return () => end.abort();
  }, [key]);
  const phase = metadata && phaseOf(metadata);
  const known = metadata && confirmationOf(metadata);
  const confirmation = over && known === "pending" ? undefined : known;
  useEffect(() => {
    if (phase) {
      announce(t(confirmation ? `receipt.confirmation.${confirmation}` : `receipt.state.${phase}`));
    }
  }, [phase, confirmation]);
  const opened = useMoment(phase);
  const absent = asRefusal(refused).code === "not_found";
  const fresh = phase === "waiting" && !absent ? created : undefined;
  useEffect(() => {
    if (created && !fresh) {
      keep([key]); // the link opens nothing any more
    }
  }, [created, fresh]);

  if (!key || absent) {
    return <NoReceipt />;
  }
  return (
    <Page
      title={t(fresh ? "receipt.fresh.title" : "receipt.title")}
      news={opened && confirmation !== "lapsed" ? `✓ ${t("receipt.state.received")}` : undefined}
      lead={fresh ? freshLead(fresh) : t("receipt.lead")}
      actions={(phase === "waiting" || confirmation === "pending") && <Live live={live} />}
    >
      {fresh && <Links created={fresh} />}
      {refused ? <Failure error={refused} /> : !metadata && <Loading>{t("receipt.loading")}</Loading>}
      {metadata && phase && (
        <Body
          metadata={metadata}
          phase={phase}
          opened={opened}
          confirmation={confirmation}
          created={fresh}
          onChange={setMetadata}
        />
      )}
    </Page>
  );
}

/** useMoment reports whether the secret was opened while the page was shown, and tells the system so if it may. */
function useMoment(phase: Phase | undefined): boolean {
  const [opened, setOpened] = useState(false);
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === "waiting" && phase === "received") {
      setOpened(true);
      notify(t("receipt.state.received"));
    }
    before.current = phase;
  }, [phase]);
  return opened;
}

/** notify shows a notification if the visitor allowed that before, and the tab is hidden. */
function notify(text: string): void {
  try {
    if (document.hidden && Notification.permission === "granted") {
      new Notification(text);
    }
  } catch {
    // Some browsers of phones have none for pages.
  }
}

function freshLead({ secret }: Created): string {
  return t("receipt.fresh.lead", { time: exact(dateOf(secret.expireTime) ?? new Date()) });
}

function NoReceipt() {
  return (
    <Page title={t("receipt.gone.title")}>
      <Empty icon="receipt" title={t("receipt.gone.text")}>
        <LinkButton href="/">{t("receipt.again")}</LinkButton>
      </Empty>
    </Page>
  );
}

function Live({ live }: { live: boolean }) {
  return (
    <span class={`live no-print ${live ? "" : "live-lost"}`} title={t("receipt.live.hint")}>
      {live ? t("receipt.live") : t("receipt.live.lost")}
    </span>
  );
}

interface BodyProps {
  metadata: Metadata;
  phase: Phase;
  /** Whether it was opened while the page was shown. */
  opened: boolean;
  confirmation: Confirmation | undefined;
  /** The secret if it was just shared: the page shows its link already. */
  created: Created | undefined;
  onChange: (metadata: Metadata) => void;
}

function Body({ metadata, phase, opened, confirmation, created, onChange }: BodyProps) {
  return (
    <>
      <Card kind={created && "keep"} title={created && t("receipt.title")}>
        {created && <p>{t(`receipt.fresh.${created.kind}`)}</p>}
        <ReceiptState metadata={metadata} phase={phase} opened={opened} confirmation={confirmation} />
        {isLockedForGood(metadata) && <Notice kind="warn">{t("receipt.locked")}</Notice>}
        <div class="row no-print">
          <CopyButton text={receiptLink(policy.value?.baseUrl ?? "", metadata.metadataKey)}>
            {t("receipt.copy")}
          </CopyButton>
          {phase === "waiting" && <Burn metadata={metadata} onBurned={onChange} label={t("receipt.burn")} />}
          <Button icon="print" onClick={() => print()}>
            {t("receipt.print")}
          </Button>
        </div>
      </Card>
      {phase === "waiting" && !created && <Link metadata={metadata} />}
      {metadata.events.length > 0 && <Timeline events={metadata.events} />}
      {metadata.deliveries.length > 0 && <Deliveries deliveries={metadata.deliveries} />}
      <About metadata={metadata} />
      <Memo metadata={metadata} onChange={onChange} />
      <div class="row no-print">
        {metadata.group.length > 0 && <GroupLink metadata={metadata} />}
        <LinkButton icon="plus" href="/">
          {t("receipt.again")}
        </LinkButton>
      </div>
    </>
  );
}

const marks: Record<Phase | "lapsed", IconName> = {
  waiting: "clock",
  received: "check",
  lapsed: "warn",
  burned: "fire",
  expired: "clock",
};

function ReceiptState({
  metadata,
  phase,
  opened,
  confirmation,
}: Pick<BodyProps, "metadata" | "phase" | "opened" | "confirmation">) {
  const date = dateOf(endOf(metadata)) ?? new Date();
  const state = confirmation === "lapsed" ? "lapsed" : phase;
  return (
    <div class={`state state-${state} ${opened ? "state-turned" : ""}`}>
      <span class="state-mark">
        <Icon name={marks[state]} />
      </span>
      <div class="stack-s">
        <h2>{t(`receipt.state.${state}` as Key)}</h2>
        <p>
          {rich(`receipt.summary.${confirmation === "pending" ? "pending" : phase}` as Key, {
            relative: <Relative date={date} {...(phase !== "waiting" && { past: true, just: t("receipt.just") })} />,
          })}
        </p>
        {confirmation && <p>{t(`receipt.confirmation.${confirmation}`)}</p>}
      </div>
    </div>
  );
}

/** Link shows the link for the recipient again, or says why it cannot. */
function Link({ metadata }: { metadata: Metadata }) {
  if (isEndToEnd(metadata)) {
    return <LinkUnknown metadata={metadata} />;
  }
  return metadata.secretKey ? <LinkAgain metadata={metadata} /> : <LinkWithheld />;
}

/** LinkUnknown says that the link was made on the sender's device, and offers to begin again. */
function LinkUnknown({ metadata }: { metadata: Metadata }) {
  return (
    <Card title={t("receipt.link")}>
      <p>{t("receipt.link.end_to_end")}</p>
      <div class="row no-print">
        <Burn
          metadata={metadata}
          onBurned={() => navigate("/")}
          label={t("receipt.link.again")}
          action={t("receipt.link.again")}
        />
      </div>
    </Card>
  );
}

function LinkAgain({ metadata }: { metadata: Metadata }) {
  const link = secretLink(policy.value?.baseUrl ?? "", metadata.secretKey, metadata.shareDomain);
  return (
    <Card kind="give" title={t("receipt.link")}>
      <p>{t("receipt.link.hint")}</p>
      <p class="link-text" dir="ltr" tabIndex={0}>
        {link}
      </p>
      <Ways
        link={link}
        expires={dateOf(metadata.secretExpireTime) ?? new Date()}
        hasPassphrase={metadata.hasPassphrase}
        onKept={() => {}}
      />
    </Card>
  );
}

/** LinkWithheld says that only the owner's account can see the link. */
function LinkWithheld() {
  return (
    <Card title={t("receipt.link")}>
      <p>{t("receipt.link.owner")}</p>
      {account.value === null && (
        <div class="row no-print">
          <LinkButton href={signInFor("/recent")}>{t("receipt.link.signin")}</LinkButton>
        </div>
      )}
    </Card>
  );
}

function About({ metadata }: { metadata: Metadata }) {
  const waiting = phaseOf(metadata) === "waiting";
  const time = (at: Date | undefined) => at && <Time date={at} />;
  return (
    <Card title={t("receipt.facts")}>
      <Facts
        rows={[
          [
            t("receipt.fact.key"),
            <span class="mono" dir="ltr">
              {metadata.secretShortkey}…
            </span>,
          ],
          [t("receipt.fact.created"), time(dateOf(metadata.createTime))],
          [t("receipt.fact.lifetime"), duration(secondsOf(metadata.ttl))],
          [t("receipt.fact.expires"), waiting && time(dateOf(metadata.secretExpireTime))],
          [t("receipt.fact.forgotten"), time(dateOf(metadata.expireTime))],
          [t("receipt.fact.passphrase"), waiting && passphraseFact(metadata)],
          [t("receipt.fact.domain"), metadata.shareDomain && <bdi>{metadata.shareDomain}</bdi>],
          [t("receipt.fact.encryption"), <EncryptionBadge encryption={metadata.encryption} />],
        ]}
      />
    </Card>
  );
}

function passphraseFact(metadata: Metadata): string {
  return t(metadata.hasPassphrase ? "receipt.fact.passphrase.yes" : "receipt.fact.passphrase.no");
}

/** Memo is the sender's label, with a save button. */
function Memo({ metadata, onChange }: { metadata: Metadata; onChange: (metadata: Metadata) => void }) {
  const [memo, setMemo] = useState(metadata.memo);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const answer = await receipts.updateMetadata({ metadataKey: metadata.metadataKey, memo });
      setProblem(undefined);
      announce(t("receipt.memo.saved"));
      if (answer.metadata) {
        onChange(answer.metadata);
      }
    } catch (thrown) {
      setProblem(problemText(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card>
      <Form onSend={() => void save()}>
        <Field label={t("share.label")} hint={t("share.label.hint")} error={problem}>
          <TextInput value={memo} onValue={setMemo} maxLength={500} autocomplete="off" />
        </Field>
        {memo !== metadata.memo && (
          <div class="row no-print">
            <Button type="submit" busy={busy}>
              {t("receipt.save")}
            </Button>
          </div>
        )}
      </Form>
    </Card>
  );
}
