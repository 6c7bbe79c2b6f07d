import { useEffect } from "preact/hooks";
import { Role } from "../contract";
import { useSubmit } from "../forms/submit";
import type { Account } from "../gen/hush/v1/account_pb";
import { t as first, number } from "../i18n";
import { t } from "../i18n/menu";
import { look, waiting } from "../requests/waiting";
import { navigate } from "../router";
import { signOut } from "../session";
import { Button } from "../ui";
import { Dialog } from "../ui/dialog";
import { Menu, MenuItem, MenuLink } from "../ui/menu";

/** AccountMenu is the menu of the account that is signed in. */
export default function AccountMenu({ who }: { who: Account }) {
  const submission = useSubmit();
  const leave = () =>
    submission.run(async () => {
      await signOut();
      navigate("/");
    });
  useEffect(() => {
    void look();
  }, [who.accountId]);
  const count = waiting.value > 0 ? number(waiting.value) : "";
  const name = `${t("app.account_menu")}: ${who.address}`;
  return (
    <>
      <Menu
        label={who.address}
        name={count ? `${name}, ${t("app.requests")}: ${count}` : name}
        icon="user"
        kind="plain"
        mark={count}
      >
        <MenuLink href="/account">{t("app.account")}</MenuLink>
        <MenuLink href="/account/requests">
          {t("app.requests")} {count && <span class="badge badge-accent">{count}</span>}
        </MenuLink>
        <MenuLink href="/account/domains">{t("app.domains")}</MenuLink>
        <MenuLink href="/account/tokens">{t("app.tokens")}</MenuLink>
        {who.role === Role.colonel && <MenuLink href="/colonel">{t("app.colonel")}</MenuLink>}
        <MenuItem onClick={leave}>{t("app.signout")}</MenuItem>
      </Menu>
      <Dialog open={submission.problem !== undefined} onClose={submission.clear} title={t("app.signout")}>
        <p role="alert">{submission.problem?.text}</p>
        <div class="row row-end">
          <Button onClick={submission.clear}>{first("ui.close")}</Button>
        </div>
      </Dialog>
    </>
  );
}
