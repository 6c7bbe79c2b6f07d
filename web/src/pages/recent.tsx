import { useState } from "preact/hooks";
import { RequireAccount } from "../account/requireaccount";
import { number } from "../i18n";
import { t, tn } from "../i18n/receipts";
import { LoadState } from "../loaded";
import { DeviceList } from "../receipts/devicelist";
import { type Filter, filters, type Receipts, search, useReceipts } from "../receipts/list";
import { useLive } from "../receipts/live";
import { LiveMark } from "../receipts/livemark";
import { ReceiptList } from "../receipts/receiptlist";
import { account } from "../session";
import { Button, Card, Empty, Field, LinkButton, Notice, Page, Segmented, TextInput } from "../ui";

/** Recent lists the secrets that the account shared, or without one those of this device. */
export default function Recent() {
  return account.value === null ? <DeviceList /> : <RequireAccount>{() => <List />}</RequireAccount>;
}

function List() {
  const [filter, setFilter] = useState<Filter>("all");
  const [text, setText] = useState("");
  const receipts = useReceipts(filter);
  const { rows } = receipts;
  const found = rows && search(rows, text);
  const live = useLive(rows, receipts.replace);
  return (
    <Page
      title={t("recent.title")}
      lead={t("recent.lead")}
      actions={
        <LinkButton kind="primary" icon="plus" href="/">
          {t("app.share")}
        </LinkButton>
      }
    >
      <div class="recent-tools">
        <Segmented
          label={t("recent.filter")}
          hideLabel
          value={filter}
          onValue={setFilter}
          options={filters.map(
            (name) => [name, <FilterName key={name} name={name} counts={receipts.counts} />] as const,
          )}
        />
        <Field label={t("recent.search")} hideLabel>
          <TextInput
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder={t("recent.search")}
            value={text}
            onValue={setText}
          />
        </Field>
      </div>
      {receipts.sealed > 0 && <Notice>{tn("recent.sealed", receipts.sealed)}</Notice>}
      <LoadState of={{ value: rows, error: receipts.error, reload: receipts.reload }} loading={t("recent.loading")} />
      {found && rows && rows.length > 0 && (
        <div class="row row-apart">
          <p class="muted small" role="status">
            {text.trim()
              ? t("recent.found", { found: found.length, count: tn("recent.count", rows.length) })
              : tn("recent.count", rows.length)}
          </p>
          <LiveMark live={live} />
        </div>
      )}
      {found && found.length > 0 && (
        <Card>
          <ReceiptList rows={found} onChange={receipts.replace} />
        </Card>
      )}
      {found?.length === 0 && receipts.error === undefined && (
        <Nothing filter={filter} text={rows?.length ? text : ""} receipts={receipts} />
      )}
      {receipts.more && (
        <div class="row recent-more">
          <Button busy={receipts.busy} onClick={receipts.loadMore}>
            {receipts.busy ? t("recent.more.busy") : t("recent.more")}
          </Button>
        </div>
      )}
    </Page>
  );
}

/** FilterName is the name of a filter with the number of its receipts, as far as it is known. */
function FilterName({ name, counts }: { name: Filter; counts: Receipts["counts"] }) {
  const count = counts?.[name];
  return (
    <>
      {t(`recent.filter.${name}`)}
      {count && <span class="filter-count">{`${number(count.found)}${count.more ? "+" : ""}`}</span>}
    </>
  );
}

function Nothing({ filter, text, receipts }: { filter: Filter; text: string; receipts: Receipts }) {
  if (text) {
    return (
      <Empty icon="search" title={t("recent.no_match", { text })}>
        {receipts.more && <p>{t("recent.no_match.more")}</p>}
      </Empty>
    );
  }
  if (filter !== "all") {
    return <Empty icon="receipt" title={t("recent.empty.filter")} />;
  }
  return (
    <Empty icon="receipt" title={t(receipts.sealed > 0 ? "recent.empty.sealed" : "recent.empty")}>
      <p>{t("recent.empty.hint")}</p>
      <LinkButton kind="primary" href="/">
        {t("app.share")}
      </LinkButton>
    </Empty>
  );
}
