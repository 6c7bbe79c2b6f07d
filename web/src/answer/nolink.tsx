import { t } from "../i18n/answer";
import { t as endToEnd } from "../i18n/endtoend";
import NoLink, { type Lack } from "../open/nolink";

/** NoRequest says why there is no link to answer by, and asks for another. */
export default function NoRequest({ lack }: { lack: Lack }) {
  return (
    <NoLink
      lack={lack}
      page="q"
      texts={{
        title: t("answer.title"),
        lead: endToEnd("endtoend.lead"),
        incomplete: t("answer.incomplete"),
        wrong: endToEnd("endtoend.wrong"),
        refused: t("answer.link"),
        insecure: t("answer.insecure"),
        mangled: t("answer.mangled"),
      }}
    />
  );
}
