import { useEffect, useState } from "preact/hooks";
import { EncryptionName } from "../endtoend/label";
import { dateOf } from "../format";
import { ConfirmCall } from "../forms/confirmcall";
import { useSubmit } from "../forms/submit";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { number } from "../i18n";
import { rich, t } from "../i18n/receipts";
import { receiptLink, secretLink } from "../link";
import { problemText } from "../problem";
import { secrets } from "../rpc";
import { policy } from "../session";
import { addressOf, keep, type Made, type Rest } from "../share/made";
import { Generated } from "../share/result";
import Ways from "../share/ways";
import { announce, Button, Card, Empty, Failure, Icon, LinkButton, Loading, Notice, Page, Relative } from "../ui";
import { CopyButton, isSelected } from "../ui/copy";
import { Menu, MenuItem } from "../ui/menu";
import { followGroup } from "./followgroup";
import { LiveMark } from "./livemark";
import { endOf, isEndToEnd, isLockedForGood, isSettled, phaseOf } from "./phase";
import { BurnDialog, badges, nameOf as listedName } from "./receiptlist";
import { states } from "./timeline";

interface GroupProps {
  keys: readonly string[];
  /** What was just shared, if it is this group: its links are in memory. */
  made: Made | undefined;
}

/** Group is the sender's page for what was shared with several recipients, each with a link of their own. */
export default function Group({ keys, made }: GroupProps) {
  const address = addressOf(keys);
  const [rows, setRows] = useState<readonly Metadata[] | undefined>(made?.links.map(({ metadata }) => metadata));
  const [refused, setRefused] = useState<unknown>();
  const [soon, setSoon] = useState(false);
  const [burning, setBurning] = useState<Metadata>();
  useEffect(() => {
    const end = new AbortController();
    void followGroup(keys, { onReceipts: setRows, onError: setRefused, onSoon: setSoon }, end.signal);
    return () => end.abort();
  }, [address]);
  const waiting = rows?.filter((row) => phaseOf(row) === "waiting") ?? [];
  useEffect(() => {
    // What was opened, burned or forgotten has no link to lose.
    keep(keys.filter((key) => rows && !waiting.some(({ metadataKey }) => metadataKey === key)));
  }, [rows]);
  const replace = (next: Metadata) =>
    setRows((old) => old?.map((row) => (row.metadataKey === next.metadataKey ? next : row)));
  const madeOf = (row: Metadata) => made?.links.find(({ metadata }) => metadata.metadataKey === row.metadataKey);
  // A receipt hides most of an address; what was just shared has the whole one.
  const nameOf = (row: Metadata) => madeOf(row)?.name || memberName(row);
  const linkOf = (row: Metadata) =>
    madeOf(row)?.link ??
    (row.secretKey && !isEndToEnd(row) ? secretLink(policy.value?.baseUrl ?? "", row.secretKey, row.shareDomain) : "");
  const linked = waiting.some(linkOf);
  const fresh = made && (!rows || waiting.length > 0);
  if (rows?.length === 0) {
    return (
      <Page title={t("receipt.gone.title")}>
        <Empty icon="receipt" title={t("receipt.gone.text")}>
          <LinkButton href="/">{t("receipt.again")}</LinkButton>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={t(fresh ? "group.fresh.title" : "group.title")} lead={t(fresh ? "group.fresh.lead" : "receipt.lead")}>
      {made?.rest && <Missing rest={made.rest} count={made.links.length} />}
      {Boolean(refused) && <Failure error={refused} />}
      {!rows && !refused && <Loading>{t("receipt.loading")}</Loading>}
      {rows && (
        <Card kind={made && "give"} title={t(linked ? "group.links" : "group.secrets")}>
          {linked && <p>{t(rows.some(isEndToEnd) && made ? "group.links.once" : "group.links.hint")}</p>}
          <Opened rows={rows} live={refused ? false : soon || undefined} />
          <ul class="receipts members">
            {rows.map((row) => (
              <Member
                key={row.metadataKey}
                metadata={row}
                name={nameOf(row)}
                link={linkOf(row)}
                onBurn={() => setBurning(row)}
              />
            ))}
          </ul>
          <All rows={waiting} nameOf={nameOf} linkOf={linkOf} onChange={replace} />
        </Card>
      )}
      {made?.generated && <Generated title="result.value" text={made.generated} />}
      {made?.phrase && <Generated title="phrase.result" text={made.phrase} />}
      {rows && (
        <Card kind={made && "keep"} title={t("receipt.title")}>
          <p>{t("group.receipt")}</p>
          <div class="row no-print">
            <CopyButton text={receiptLink(policy.value?.baseUrl ?? "", address)}>{t("receipt.copy")}</CopyButton>
            <LinkButton icon="plus" href="/">
              {t("receipt.again")}
            </LinkButton>
          </div>
        </Card>
      )}
      <BurnDialog
        metadata={burning}
        onClose={() => setBurning(undefined)}
        onBurned={(metadata) => {
          setBurning((now) => (now === burning ? undefined : now)); // perhaps it asks about another by now
          replace(metadata);
        }}
      />
    </Page>
  );
}

/** Missing says which links were not made and why, and tries them again. */
function Missing({ rest, count }: { rest: Rest; count: number }) {
  const [busy, setBusy] = useState(false);
  const names = rest.names.join(", ");
  const again = async () => {
    setBusy(true);
    await rest.again();
    setBusy(false);
  };
  return (
    <Notice kind="warn">
      <p dir="auto">{t("group.rest", { made: count, count: count + rest.names.length, names })}</p>
      <p>{rest.reason}</p>
      {rest.lost && (
        <p dir="auto">{t(rest.mailed ? "group.rest.lost.mailed" : "group.rest.lost", { name: rest.names[0] ?? "" })}</p>
      )}
      <Button kind="primary" busy={busy} onClick={() => void again()}>
        {t("group.rest.again")}
      </Button>
    </Notice>
  );
}

/** Opened says how many of the group were opened, and whether the page is live. */
function Opened({ rows, live }: { rows: readonly Metadata[]; live: boolean | undefined }) {
  const opened = rows.filter((row) => phaseOf(row) === "received").length;
  return (
    <div class="stack-s">
      <p class="row row-apart">
        <strong>{t("group.opened", { opened: number(opened), count: number(rows.length) })}</strong>
        {!rows.every(isSettled) && <LiveMark live={live} />}
      </p>
      <div class="segments" aria-hidden="true">
        {rows.map((row) => (
          <span key={row.metadataKey} class={`segment-${phaseOf(row)}`} />
        ))}
      </div>
    </div>
  );
}

interface MemberProps {
  metadata: Metadata;
  /** Whom it is for. */
  name: string;
  link: string;
  onBurn: () => void;
}

/** Member is one secret of the group: its state, and its link while it may be opened. */
function Member({ metadata, name, link, onBurn }: MemberProps) {
  const [open, setOpen] = useState(false);
  const [copied, setCopied] = useState(false);
  const phase = phaseOf(metadata);
  const waiting = phase === "waiting";
  const kept = () => keep([metadata.metadataKey]);
  return (
    <li class="member" aria-label={name}>
      <div class="member-what">
        <p class="member-name">
          <a href={`/r#${metadata.metadataKey}`}>
            <bdi>{name}</bdi>
          </a>
          <span class={`badge ${badges[phase]}`}>{t(`recent.state.${phase}`)}</span>
        </p>
        <MemberFacts metadata={metadata} />
        {isLockedForGood(metadata) && <p class="small">{t("receipt.locked")}</p>}
        {waiting && !link && isEndToEnd(metadata) && <p class="small">{t("group.link.unknown")}</p>}
      </div>
      {waiting && (
        <div class="member-actions no-print">
          {link && (
            <CopyButton
              kind={copied ? "plain" : "primary"}
              icon={copied ? "check" : "copy"}
              text={link}
              done={t("ui.copied")}
              label={t(copied ? "group.copied.named" : "group.copy.named", { name })}
              onCopied={() => {
                setCopied(true);
                kept();
              }}
            >
              {copied ? t("group.copied") : t("group.copy")}
            </CopyButton>
          )}
          <Menu icon="more" bare label={t("group.menu.for", { name })} kind="plain">
            {link && <MenuItem onClick={() => setOpen(!open)}>{t("group.ways")}</MenuItem>}
            <MenuItem onClick={onBurn}>{t("recent.burn")}</MenuItem>
          </Menu>
        </div>
      )}
      {waiting && link && (
        <div class="member-link">
          {open && (
            <Ways
              link={link}
              expires={dateOf(metadata.secretExpireTime) ?? new Date()}
              hasPassphrase={metadata.hasPassphrase}
              onKept={kept}
            />
          )}
          <details>
            <summary class="small">
              {t("group.link.show")}
              <Icon name="down" />
            </summary>
            <p class="link-text" dir="ltr" tabIndex={0} onCopy={() => isSelected(link) && kept()}>
              {link}
            </p>
          </details>
        </div>
      )}
    </li>
  );
}

/** MemberFacts shows in one line what happened to a secret of the group, and when. */
function MemberFacts({ metadata }: { metadata: Metadata }) {
  const phase = phaseOf(metadata);
  const end = dateOf(endOf(metadata) ?? metadata.updateTime);
  const delivery = metadata.deliveries[0] && states[metadata.deliveries[0].state];
  return (
    <p class="muted small receipt-facts">
      {metadata.recipients.length > 0 && metadata.memo && <bdi>{metadata.memo}</bdi>}
      {delivery && <span>{t("group.mail", { state: t(delivery) })}</span>}
      {end && (
        <span>
          {rich(phase === "waiting" ? "recent.expires" : `recent.${phase}`, {
            when: <Relative date={end} {...(phase !== "waiting" && { just: t("receipt.just") })} />,
          })}
        </span>
      )}
      <EncryptionName encryption={metadata.encryption} />
    </p>
  );
}

/** memberName returns whom a secret of a group is for. */
function memberName(metadata: Metadata): string {
  return metadata.recipients.join(", ") || listedName(metadata);
}

interface AllProps {
  /** The secrets that wait to be opened. */
  rows: readonly Metadata[];
  nameOf: (row: Metadata) => string;
  linkOf: (row: Metadata) => string;
  onChange: (metadata: Metadata) => void;
}

/** All has the buttons for all secrets that wait. */
function All({ rows, nameOf, linkOf, onChange }: AllProps) {
  const [open, setOpen] = useState(false);
  const submission = useSubmit((thrown) => ({ field: "", text: burnProblem(thrown) }));
  const linked = rows.filter(linkOf);
  const burn = () =>
    submission.run(async () => {
      await burnEach(rows, nameOf, onChange);
      setOpen(false);
      announce(t("group.burn.done"));
    });
  return (
    <div class="row no-print">
      {linked.length > 1 && (
        <CopyButton
          text={linked.map((row) => `${nameOf(row)}: ${linkOf(row)}`).join("\n")}
          onCopied={() => keep(linked.map(({ metadataKey }) => metadataKey))}
        >
          {t("group.copy.all")}
        </CopyButton>
      )}
      {rows.length > 1 && (
        <Button kind="danger" icon="fire" onClick={() => setOpen(true)}>
          {t("group.burn")}
        </Button>
      )}
      <ConfirmCall
        submission={submission}
        open={open}
        onClose={() => setOpen(false)}
        title={t("group.burn.title")}
        action={t("group.burn")}
        busy={t("burn.busy")}
        onConfirm={burn}
      >
        <p>{t("group.burn.text")}</p>
        <ul class="limits">
          {rows.map((row) => (
            <li key={row.metadataKey}>
              <bdi>{nameOf(row)}</bdi>
            </li>
          ))}
        </ul>
      </ConfirmCall>
    </div>
  );
}

/** BurnError has the names of the secrets that could not be burned, and why the first could not. */
class BurnError extends Error {
  constructor(
    readonly names: readonly string[],
    readonly thrown: unknown,
  ) {
    super("not burned");
  }
}

/** burnEach burns secrets, also those after one that cannot be burned. */
async function burnEach(
  rows: readonly Metadata[],
  nameOf: AllProps["nameOf"],
  onBurned: AllProps["onChange"],
): Promise<void> {
  const failed: { name: string; thrown: unknown }[] = [];
  for (const row of rows) {
    try {
      const { metadata } = await secrets.burnSecret({ metadataKey: row.metadataKey });
      onBurned(metadata ?? row);
    } catch (thrown) {
      failed.push({ name: nameOf(row), thrown });
    }
  }
  if (failed[0]) {
    throw new BurnError(
      failed.map(({ name }) => name),
      failed[0].thrown,
    );
  }
}

function burnProblem(thrown: unknown): string {
  return thrown instanceof BurnError
    ? t("group.burn.failed", { names: thrown.names.join(", "), reason: problemText(thrown.thrown) })
    : problemText(thrown);
}
