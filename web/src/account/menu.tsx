import { Role } from "../contract";
import type { Account } from "../gen/hush/v1/account_pb";
import { t } from "../i18n";
import { navigate } from "../router";
import { signOut } from "../session";
import { Menu, MenuItem, MenuLink } from "../ui";

/** AccountMenu is the menu of the account that is signed in. */
export default function AccountMenu({ who }: { who: Account }) {
  return (
    <Menu label={who.address} name={`${t("app.account_menu")}: ${who.address}`} icon="user" kind="plain">
      <MenuLink href="/account">{t("app.account")}</MenuLink>
      <MenuLink href="/account/domains">{t("app.domains")}</MenuLink>
      <MenuLink href="/account/tokens">{t("app.tokens")}</MenuLink>
      {who.role === Role.colonel && <MenuLink href="/colonel">{t("app.colonel")}</MenuLink>}
      <MenuItem onClick={() => void leave()}>{t("app.signout")}</MenuItem>
    </Menu>
  );
}

async function leave(): Promise<void> {
  try {
    await signOut();
  } catch {
    // The session has ended already.
  }
  navigate("/");
}
