import { t } from "../i18n/collect";
import { lazy } from "../lazy";
import { Checking } from "../open/checking";
import type { Lack } from "../open/nolink";

const NoLink = lazy(() => import("../open/nolink"), Checking);

/** NoCollection says why there is no link to collect by, and asks for another. */
export function NoCollection({ lack }: { lack: Lack }) {
  return (
    <NoLink
      lack={lack}
      page="c"
      texts={{
        title: t("collect.ask.title"),
        lead: t("collect.ask.lead"),
        incomplete: t("collect.incomplete"),
        wrong: t("collect.wrong"),
        refused: t("collect.refused"),
        insecure: t("collect.insecure"),
        mangled: t("collect.mangled"),
      }}
    />
  );
}
