import { t } from "../i18n/answer";
import { t as endToEnd } from "../i18n/endtoend";
import { t as opening } from "../i18n/open";
import { AskLink } from "../open/asklink";
import { Insecure } from "../open/insecure";
import { Mangled } from "../open/mangled";

/** Lack is why the page has no link to answer by: "link" for a secret part that the server refused, "insecure" for plain HTTP. */
export type Lack = "empty" | "incomplete" | "long" | "wrong" | "link" | "insecure";

/** NoLink says what is wrong with a link, and asks for another. */
export default function NoLink({ lack }: { lack: Lack }) {
  const mangled = <Mangled text={t("answer.mangled")} />;
  switch (lack) {
    case "empty":
      return <AskLink page="q" title={t("answer.title")} lead={endToEnd("endtoend.lead")} />;
    case "incomplete":
      return (
        <AskLink page="q" title={opening("open.bad.title")} lead={t("answer.incomplete")}>
          {mangled}
        </AskLink>
      );
    case "insecure":
      return (
        <Insecure
          title={endToEnd("endtoend.insecure.title")}
          text={t("answer.insecure")}
          open={endToEnd("endtoend.insecure.open")}
        />
      );
    default:
      return (
        <AskLink page="q" title={endToEnd("endtoend.wrong.title")} lead={leadOf(lack)}>
          {mangled}
        </AskLink>
      );
  }
}

function leadOf(lack: "long" | "wrong" | "link"): string {
  if (lack === "link") {
    return t("answer.link");
  }
  return lack === "long" ? opening("open.bad.long") : endToEnd("endtoend.wrong");
}
