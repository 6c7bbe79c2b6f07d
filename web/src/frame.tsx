import { SignUp } from "./contract";
import { chooseLocale, type Locale, locale, locales, t } from "./i18n";
import { lazy } from "./lazy";
import { keyhole } from "./mark";
import { keepsHistory } from "./receipts/device";
import { place } from "./router";
import { account, instanceName, logo, policy } from "./session";
import { chooseTheme, type Theme, theme } from "./theme";
import { Icon } from "./ui";

// Most visitors have no account.
const AccountMenu = lazy(
  () => import("./account/menu"),
  () => null,
);

/** currentAt marks the link to the page that is shown. */
function currentAt(path: string): "page" | undefined {
  return place.value.path === path ? "page" : undefined;
}

export function Header() {
  return (
    <header class="header">
      <a class="brand" href="/">
        <Logo />
        <span dir="auto">{instanceName.value}</span>
      </a>
      <nav class="header-nav" aria-label={t("app.menu")}>
        {place.value.path !== "/" && (
          <a class="button button-quiet header-share" href="/">
            <Icon name="plus" />
            <span>{t("app.share")}</span>
          </a>
        )}
        <Secrets />
        <Entry />
      </nav>
    </header>
  );
}

function Logo() {
  const url = logo.value;
  if (url.startsWith("/")) {
    return <img class="brand-mark" src={url} alt="" width={28} height={28} />;
  }
  return (
    <svg class="brand-mark" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <rect width="64" height="64" rx="16" />
      <path d={keyhole} />
    </svg>
  );
}

/** Secrets leads to the secrets of the account, or of this device if it keeps a history. */
function Secrets() {
  return account.value || (account.value === null && keepsHistory.value) ? (
    <a class="button button-quiet header-recent" href="/recent" aria-current={currentAt("/recent")}>
      <Icon name="receipt" />
      <span>{t("app.recent")}</span>
    </a>
  ) : null;
}

/** Entry shows the account's menu, or the links to sign in and up. */
function Entry() {
  const who = account.value;
  if (who === undefined || (who === null && policy.value && !policy.value.signIn)) {
    return null;
  }
  if (who === null) {
    return (
      <>
        {policy.value?.signUp === SignUp.open && (
          <a class="button button-quiet header-signup" href="/signup" aria-current={currentAt("/signup")}>
            {t("app.signup")}
          </a>
        )}
        <a class="button button-plain" href="/signin" aria-current={currentAt("/signin")}>
          {t("app.signin")}
        </a>
      </>
    );
  }
  return <AccountMenu who={who} />;
}

export function Footer() {
  const p = policy.value;
  return (
    <footer class="footer">
      <nav class="footer-links" aria-label={t("app.footer")}>
        {account.value === null && !keepsHistory.value && <FooterLink path="/recent">{t("app.recent")}</FooterLink>}
        <FooterLink path="/about">{t("app.about")}</FooterLink>
        <FooterLink path="/security">{t("app.security")}</FooterLink>
        <FooterLink path="/feedback">{t("app.feedback")}</FooterLink>
        {p?.imprintUrl && (
          <a href={p.imprintUrl} rel="noreferrer">
            {t("app.imprint")}
          </a>
        )}
        {p?.privacyUrl && (
          <a href={p.privacyUrl} rel="noreferrer">
            {t("app.privacy")}
          </a>
        )}
      </nav>
      <div class="footer-choices">
        <Choice
          icon="globe"
          label={t("app.language")}
          value={locale.value}
          options={Object.entries(locales)}
          onValue={(next) => void chooseLocale(next as Locale)}
        />
        <Choice
          icon="theme"
          label={t("app.theme")}
          value={theme.value}
          options={[
            ["system", t("app.theme.system")],
            ["light", t("app.theme.light")],
            ["dark", t("app.theme.dark")],
          ]}
          onValue={(next) => chooseTheme(next as Theme)}
        />
      </div>
    </footer>
  );
}

function FooterLink({ path, children }: { path: string; children: string }) {
  return (
    <a href={path} aria-current={currentAt(path)}>
      {children}
    </a>
  );
}

interface ChoiceProps {
  icon: "globe" | "theme";
  label: string;
  value: string;
  options: [string, string][];
  onValue: (value: string) => void;
}

function Choice({ icon, label, value, options, onValue }: ChoiceProps) {
  return (
    <label class="choice">
      <Icon name={icon} />
      <span class="visually-hidden">{label}</span>
      <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
