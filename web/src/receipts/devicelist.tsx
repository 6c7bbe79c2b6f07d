import { useEffect, useRef, useState } from "preact/hooks";
import { signInFor } from "../account/returnpath";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import { t, tn } from "../i18n/receipts";
import { lazy } from "../lazy";
import { LoadState } from "../loaded";
import { place } from "../router";
import { receipts } from "../rpc";
import { policy } from "../session";
import { announce, Button, Card, Empty, LinkButton, Notice, Page } from "../ui";
import { Confirm } from "../ui/dialog";
import { drop, forgetAll, refresh, remembered, turnOn } from "./history";
import { useLive } from "./live";
import { LiveMark } from "./livemark";
import { ReceiptList } from "./receiptlist";

const DeviceRequests = lazy(
  () => import("../requests/devicecard"),
  () => null,
);

/** How many receipts one call may ask for. */
const batch = 25;

/** DeviceList lists what was shared on this device without an account, if the visitor turned the history on. */
export function DeviceList() {
  useEffect(refresh, []);
  const on = remembered.value !== undefined;
  return (
    <Page
      title={t("recent.title")}
      lead={t("history.lead")}
      actions={
        on && (
          <LinkButton kind="primary" icon="plus" href="/">
            {t("app.share")}
          </LinkButton>
        )
      }
    >
      {on ? <History /> : <Off />}
      <DeviceRequests />
      {policy.value?.signIn && (
        <Card title={t("history.account")}>
          <p>{t("history.account.text")}</p>
          <div class="row">
            <LinkButton href={signInFor(place.peek().path)}>{t("app.signin")}</LinkButton>
          </div>
        </Card>
      )}
    </Page>
  );
}

function Off() {
  const [refused, setRefused] = useState(false);
  return (
    <Empty icon="receipt" title={t("history.off")}>
      <p>{t("history.off.text")}</p>
      <p>{t("history.risk")}</p>
      {refused && <Notice kind="warn">{t("history.refused")}</Notice>}
      <Button kind="primary" onClick={() => setRefused(!turnOn())}>
        {t("history.turn_on")}
      </Button>
    </Empty>
  );
}

function History() {
  const list = useHistory();
  const live = useLive(list.rows, list.replace);
  return (
    <>
      <LoadState of={{ value: list.rows, error: list.error, reload: list.reload }} loading={t("recent.loading")} />
      {list.rows?.length === 0 && list.error === undefined && (
        <Empty icon="receipt" title={t("history.empty")}>
          <p>{t("history.empty.text")}</p>
        </Empty>
      )}
      {list.rows && list.rows.length > 0 && (
        <>
          <div class="row row-apart">
            <p class="muted small" role="status">
              {tn("recent.count", list.rows.length)}
            </p>
            <LiveMark live={live} />
          </div>
          <Card>
            <ReceiptList rows={list.rows} onChange={list.replace} />
          </Card>
        </>
      )}
      {list.more && (
        <div class="row recent-more">
          <Button busy={list.busy} onClick={list.loadMore}>
            {list.busy ? t("recent.more.busy") : t("recent.more")}
          </Button>
        </div>
      )}
      <Forget />
    </>
  );
}

/** Forget is the button that forgets the history, after a confirmation. */
function Forget() {
  const [open, setOpen] = useState(false);
  const forget = () => {
    setOpen(false);
    forgetAll();
    announce(t("history.forgotten"));
  };
  return (
    <Card title={t("history.device")}>
      <p>{t("history.risk")}</p>
      <div class="row">
        <Button icon="trash" onClick={() => setOpen(true)}>
          {t("history.forget")}
        </Button>
      </div>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title={t("history.forget.title")}
        action={t("history.forget")}
        onConfirm={forget}
      >
        <p>{t("history.forget.text")}</p>
      </Confirm>
    </Card>
  );
}

interface Pages {
  rows: readonly Metadata[];
  /** The keys that are not asked for yet. */
  later: readonly string[];
}

/** useHistory loads the receipts of the history, batch by batch, newest first. */
function useHistory() {
  const [pages, setPages] = useState<Pages>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const latest = useRef(0);
  const load = async (before: Pages) => {
    const own = ++latest.current;
    const metadataKeys = before.later.slice(0, batch);
    setBusy(true);
    setError(undefined);
    try {
      const metadata = metadataKeys.length ? (await receipts.batchGetMetadata({ metadataKeys })).metadata : [];
      const found = new Set(metadata.map((row) => row.metadataKey));
      drop(metadataKeys.filter((key) => !found.has(key))); // whose receipts are gone
      if (own === latest.current) {
        setPages({ rows: [...before.rows, ...metadata], later: before.later.slice(batch) });
      }
    } catch (thrown) {
      if (own === latest.current) {
        setError(thrown);
      }
    } finally {
      if (own === latest.current) {
        setBusy(false);
      }
    }
  };
  const start = () => {
    refresh(); // Effects of this component run before those of the page.
    void load({ rows: [], later: (remembered.peek() ?? []).map(({ key }) => key) });
  };
  useEffect(() => {
    start();
    return () => {
      latest.current += 1;
    };
  }, []);
  return {
    rows: pages?.rows,
    more: Boolean(pages?.later.length),
    busy,
    error,
    loadMore: () => pages && void load(pages),
    reload: () => (pages ? void load(pages) : start()),
    replace: (next: Metadata) =>
      setPages(
        (old) => old && { ...old, rows: old.rows.map((row) => (row.metadataKey === next.metadataKey ? next : row)) },
      ),
  };
}
