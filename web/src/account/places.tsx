import { t } from "../i18n/menu";
import { place } from "../router";

/** Places leads to the pages of an account. It stands at the same place on each of them. */
export function Places() {
  const { path } = place.value;
  const links: (readonly [to: string, name: string])[] = [
    ["/account", t("app.account")],
    ["/account/requests", t("app.requests")],
    ["/account/tokens", t("app.tokens")],
    ["/account/domains", t("app.domains")],
  ];
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
