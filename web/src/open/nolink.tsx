import { t } from "../i18n/endtoend";
import { t as opening } from "../i18n/open";
import { AskLink } from "./asklink";
import { Insecure } from "./insecure";
import { Mangled } from "./mangled";
import type { Found } from "./pasted";
import type { Whole } from "./placeof";

/** Lack is why a page has no link to go on with: "refused" for a secret part that the server refused, "insecure" for plain HTTP. */
export type Lack = Extract<Found, string> | "refused" | "insecure";

/** Texts is what a page says of its own links. */
export interface Texts {
  /** The heading and the sentence that ask for a link. */
  title: string;
  lead: string;
  incomplete: string;
  wrong: string;
  refused?: string;
  insecure: string;
  mangled: string;
}

interface NoLinkProps {
  lack: Lack;
  texts: Texts;
  /** The page of a whole fragment that is pasted without its path: that of secrets unless it is said. */
  page?: Whole | undefined;
}

/** NoLink says what is wrong with a link, and asks for another. It is loaded when it is needed, which is seldom. */
export default function NoLink({ lack, texts, page }: NoLinkProps) {
  if (lack === "insecure") {
    return <Insecure title={t("endtoend.insecure.title")} text={texts.insecure} open={t("endtoend.insecure.open")} />;
  }
  const [title, lead] = wordsOf(lack, texts);
  return (
    <AskLink title={title} lead={lead} page={page}>
      {lack !== "empty" && <Mangled text={texts.mangled} />}
    </AskLink>
  );
}

function wordsOf(lack: Exclude<Lack, "insecure">, texts: Texts): [title: string, lead: string] {
  switch (lack) {
    case "empty":
      return [texts.title, texts.lead];
    case "incomplete":
      return [opening("open.bad.title"), texts.incomplete];
    case "long":
      return [t("endtoend.wrong.title"), opening("open.bad.long")];
    case "refused":
      return [t("endtoend.wrong.title"), texts.refused ?? texts.wrong];
    case "wrong":
      return [t("endtoend.wrong.title"), texts.wrong];
  }
}
