import { ErrorBoundary } from "./boundary";
import { Footer, Header } from "./frame";
import { t } from "./i18n";
import { place } from "./router";
import { find } from "./routes";
import { policy } from "./session";
import { LiveRegion, Notice } from "./ui";

export function App() {
  const { path, visit } = place.value;
  const { page: Page, params } = find(path);
  return (
    <>
      <a class="skip" href="#main">
        {t("app.skip")}
      </a>
      <Banner />
      <Header />
      <main id="main" tabIndex={-1}>
        <Maintenance />
        <ErrorBoundary key={visit}>
          <Page params={params} />
        </ErrorBoundary>
      </main>
      <Footer />
      <LiveRegion />
    </>
  );
}

function Banner() {
  const text = policy.value?.banner;
  return text ? (
    <p class="banner" dir="auto">
      {text}
    </p>
  ) : null;
}

function Maintenance() {
  const text = policy.value?.maintenance;
  return text ? (
    <div class="page">
      <Notice kind="warn">
        <p>
          <strong>{t("app.maintenance")}</strong>: <bdi>{text}</bdi>
        </p>
        <p>{t("app.maintenance.text")}</p>
      </Notice>
    </div>
  ) : null;
}
