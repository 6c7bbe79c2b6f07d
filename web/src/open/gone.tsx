import { t } from "../i18n/open";
import { Empty, LinkButton, Page } from "../ui";

/** Gone is shown alike for secrets that were opened, burned or expired, or never existed. */
export function Gone() {
  return (
    <Page short title={t("open.gone.title")}>
      <Empty icon="lock" title={t("open.gone.text")}>
        <p>{t("open.gone.expected")}</p>
        <LinkButton href="/">{t("open.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}
