import { download } from "../download";
import { FormError } from "../forms/formerror";
import { useSubmit } from "../forms/submit";
import type { ExportAccountResponse } from "../gen/hush/v1/account_service_pb";
import { t } from "../i18n/account";
import { accounts, receipts } from "../rpc";
import { announce, Button, Card } from "../ui";

/** Export downloads everything that is stored about the account. */
export function Export() {
  const submission = useSubmit();
  const save = () =>
    submission.run(async () => {
      const name = `hush-account-${new Date().toISOString().slice(0, 10)}.json`;
      download(name, await written(await collect()), "application/json");
      announce(t("account.export.done"));
    });
  return (
    <Card title={t("account.data")}>
      <p class="muted">{t("account.export.hint")}</p>
      <FormError submission={submission} />
      <div>
        <Button icon="download" busy={submission.busy} onClick={save}>
          {submission.busy ? t("account.export.busy") : t("account.export")}
        </Button>
      </div>
    </Card>
  );
}

/** The most receipts on one page of the list. */
const pageSize = 500;

/** collect fetches the export, and then the remaining receipts page by page. */
async function collect(): Promise<ExportAccountResponse> {
  const all = await accounts.exportAccount({});
  while (all.nextPageToken) {
    const page = await receipts.listMetadata({ pageSize, pageToken: all.nextPageToken });
    all.metadata.push(...page.metadata);
    all.nextPageToken = page.nextPageToken;
    all.sealedCount += page.sealedCount;
  }
  return all;
}

async function written(all: ExportAccountResponse): Promise<string> {
  const [{ toJsonString }, { ExportAccountResponseSchema }] = await Promise.all([
    import("@bufbuild/protobuf"),
    import("../gen/hush/v1/account_service_pb"),
  ]);
  return toJsonString(ExportAccountResponseSchema, all, { prettySpaces: 2 });
}
