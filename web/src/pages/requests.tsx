import { t } from "../i18n/requests";
import { Page } from "../ui";

/** Requests is a page. */
export default function Requests() {
  return <Page title={t("requests.title")}>{null}</Page>;
}
