import { t } from "../i18n/answer";
import { Page } from "../ui";

/** Answer is a page. */
export default function Answer() {
  return <Page title={t("answer.title")}>{null}</Page>;
}
