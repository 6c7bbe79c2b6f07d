/*
 * The first words of each page, which the service sends within the page: they are
 * there before a script has run. Only the build reads this. The names are those of
 * routes/pages; a page without words of its own is left out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import about from "./i18n/about/en";
import account from "./i18n/account/en";
import answer from "./i18n/answer/en";
import collect from "./i18n/collect/en";
import colonel from "./i18n/colonel/en";
import domains from "./i18n/domains/en";
import first from "./i18n/en";
import receipts from "./i18n/receipts/en";
import requests from "./i18n/requests/en";
import signin from "./i18n/signin/en";

/** Start has the keys of a page's title and of the sentence below it, and whether the page is short, as its Page says. */
interface Start {
  title: string;
  lead?: string;
  short?: boolean;
}

const starts: Record<string, Start> = {
  share: { title: "share.title", lead: "share.lead" },
  open: { title: "open.checking", short: true },
  answer: { title: "open.checking", short: true },
  collect: { title: "collect.title" },
  requests: { title: "requests.title" },
  receipt: { title: "receipt.title", lead: "receipt.lead" },
  signin: { title: "signin.title", short: true },
  signup: { title: "signup.title", lead: "signup.lead", short: true },
  invited: { title: "signup.title", lead: "signup.invited", short: true },
  verify: { title: "verify.title", lead: "verify.lead", short: true },
  forgot: { title: "reset.ask.title", lead: "reset.ask.lead", short: true },
  reset: { title: "reset.title", short: true },
  confirm: { title: "confirm.title", lead: "confirm.lead", short: true },
  recent: { title: "recent.title" },
  account: { title: "account.title" },
  tokens: { title: "tokens.title", lead: "tokens.lead" },
  domains: { title: "domains.title", lead: "domains.lead" },
  colonel: { title: "colonel.title" },
  feedback: { title: "feedback.title", lead: "feedback.lead", short: true },
  about: { title: "about.title", lead: "about.lead" },
  security: { title: "security.title", lead: "security.lead" },
  unknown: { title: "notfound.title" },
};

type Texts = Record<string, string>;

const english: Texts = {
  ...first,
  ...about,
  ...account,
  ...answer,
  ...collect,
  ...colonel,
  ...domains,
  ...receipts,
  ...requests,
  ...signin,
};

/** startsIn returns the first words in all languages, from the folder with the texts. It throws if one is missing. */
export function startsIn(folder: string) {
  const all = languagesIn(folder);
  const inAll = <T>(make: (text: (key: string) => string) => T) =>
    Object.fromEntries(
      Object.entries(all).map(([language, texts]) => [
        language,
        make((key) => {
          const text = texts[key];
          if (text === undefined) {
            throw new Error(`${language} lacks ${key}`);
          }
          return text;
        }),
      ]),
    );
  return {
    reload: inAll((text) => text("app.reload")),
    pages: Object.fromEntries(
      Object.entries(starts).map(([name, { title, lead, short }]) => [
        name,
        { short, heads: inAll((text) => ({ title: text(title), lead: lead && text(lead) })) },
      ]),
    ),
  };
}

/** languagesIn returns all texts by language. */
function languagesIn(folder: string): Record<string, Texts> {
  const all: Record<string, Texts> = { en: english };
  for (const path of readdirSync(folder, { encoding: "utf8", recursive: true })) {
    const [, language] = /(?:^|\/)(\w+)\.json$/.exec(path) ?? [];
    if (language) {
      all[language] = { ...all[language], ...(JSON.parse(readFileSync(join(folder, path), "utf8")) as Texts) };
    }
  }
  return all;
}
