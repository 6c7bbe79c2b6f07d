import { t } from "../i18n";
import { place } from "../router";

/** Places leads to the pages of an account. It stands at the same place on each of them. */
export function Places() {
  const { path } = place.value;
  const links = [
    ["/account", t("app.account")],
    ["/account/tokens", t("app.tokens")],
    ["/account/domains", t("app.domains")],
  ] as const;
  return (
    <nav class="subnav" aria-label={t("app.account_menu")}>
      {links.map(([to, name]) => (
        <a key={to} href={to} aria-current={currentOf(to, path)}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** currentOf marks the page that is shown, and the list that has the domain that is shown. */
function currentOf(to: string, path: string): "page" | "true" | undefined {
  if (to === path) {
    return "page";
  }
  return to !== "/account" && path.startsWith(`${to}/`) ? "true" : undefined;
}
