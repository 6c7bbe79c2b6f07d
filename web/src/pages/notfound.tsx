import { t } from "../i18n/about";
import { Empty, LinkButton, Page } from "../ui";

export default function NotFound() {
  return (
    <Page title={t("notfound.title")}>
      <Empty icon="search" title={t("notfound.text")}>
        <LinkButton kind="primary" href="/">
          {t("notfound.home")}
        </LinkButton>
      </Empty>
    </Page>
  );
}
