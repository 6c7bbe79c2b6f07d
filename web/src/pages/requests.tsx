import { Places } from "../account/places";
import { RequireAccount } from "../account/requireaccount";
import { t } from "../i18n/requests";
import { LoadState } from "../loaded";
import { AskLink } from "../requests/asklink";
import { DeviceCard } from "../requests/devicecard";
import { useRequests } from "../requests/list";
import { RequestList } from "../requests/requestlist";
import { Button, Card, Empty, Page } from "../ui";

/** Requests lists what the account asked for: states, numbers and times, and the titles that this device knows. */
export default function Requests() {
  return <RequireAccount>{() => <List />}</RequireAccount>;
}

function List() {
  const list = useRequests();
  const { rows, error } = list;
  return (
    <Page title={t("requests.title")} lead={t("requests.lead")} actions={<AskLink />}>
      <Places />
      <LoadState of={{ value: rows, error, reload: list.reload }} loading={t("requests.loading")} />
      {rows?.length === 0 && error === undefined && (
        <Empty icon="mail" title={t("requests.empty")}>
          <p>{t("requests.empty.hint")}</p>
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <Card>
          <RequestList rows={rows} onChange={list.replace} />
          {rows.some(({ kept }) => kept) && list.others.length === 0 && (
            <p class="muted small">{t("requests.device.text")}</p>
          )}
        </Card>
      )}
      {list.more && (
        <div class="row recent-more">
          <Button busy={list.busy} onClick={list.loadMore}>
            {t("requests.more")}
          </Button>
        </div>
      )}
      {list.others.length > 0 && <DeviceCard kept={list.others} />}
    </Page>
  );
}
