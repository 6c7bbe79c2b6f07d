import { t } from "../i18n/collect";
import { Page } from "../ui";

/** Collect is a page. */
export default function Collect() {
  return <Page title={t("collect.title")}>{null}</Page>;
}
