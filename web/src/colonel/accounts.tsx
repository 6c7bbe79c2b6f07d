import { dateOf } from "../format";
import { type Account, Role } from "../gen/hush/v1/account_pb";
import { number } from "../i18n";
import { t } from "../i18n/colonel";
import { Card, Relative } from "../ui";

/** NewAccounts lists the accounts of the last 30 days. */
export function NewAccounts({ accounts }: { accounts: Account[] }) {
  return (
    <Card title={t("colonel.accounts")}>
      {accounts.length === 0 ? (
        <p class="muted">{t("colonel.accounts.none")}</p>
      ) : (
        <div class="table-scroll" role="region" aria-label={t("colonel.accounts")} tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t("colonel.account.address")}</th>
                <th scope="col">{t("colonel.account.created")}</th>
                <th scope="col">{t("colonel.account.signed_in")}</th>
                <th scope="col" class="table-number">
                  {t("colonel.account.secrets")}
                </th>
                <th scope="col" class="table-number">
                  {t("colonel.account.opened")}
                </th>
              </tr>
            </thead>
            <tbody>
              {accounts.map((account) => (
                <Row key={account.accountId} account={account} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

function Row({ account }: { account: Account }) {
  const [created, seen] = [dateOf(account.createTime), dateOf(account.signInTime)];
  return (
    <tr>
      <th scope="row">
        <div class="row">
          <span class="account-address">
            <bdi>{account.address}</bdi>
          </span>
          {account.role === Role.COLONEL && <span class="badge badge-accent">{t("colonel.account.colonel")}</span>}
          {!account.verified && <span class="badge badge-warn">{t("colonel.account.unverified")}</span>}
          {account.disabled && <span class="badge badge-bad">{t("colonel.account.disabled")}</span>}
        </div>
      </th>
      <td data-label={t("colonel.account.created")}>{created && <Relative date={created} />}</td>
      <td data-label={t("colonel.account.signed_in")}>
        {seen ? <Relative date={seen} /> : <span class="muted">{t("colonel.account.never")}</span>}
      </td>
      <td class="table-number" data-label={t("colonel.account.secrets")}>
        {number(Number(account.tally?.secretsCreated ?? 0))}
      </td>
      <td class="table-number" data-label={t("colonel.account.opened")}>
        {number(Number(account.tally?.secretsShared ?? 0))}
      </td>
    </tr>
  );
}
