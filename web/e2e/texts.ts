import { readFileSync } from "node:fs";
import about from "../src/i18n/about/en";
import account from "../src/i18n/account/en";
import answer from "../src/i18n/answer/en";
import ask from "../src/i18n/ask/en";
import collect from "../src/i18n/collect/en";
import colonel from "../src/i18n/colonel/en";
import domains from "../src/i18n/domains/en";
import download from "../src/i18n/download/en";
import first from "../src/i18n/en";
import endtoend from "../src/i18n/endtoend/en";
import menu from "../src/i18n/menu/en";
import open from "../src/i18n/open/en";
import receipts from "../src/i18n/receipts/en";
import requests from "../src/i18n/requests/en";
import revealed from "../src/i18n/revealed/en";
import share from "../src/i18n/share/en";
import signin from "../src/i18n/signin/en";
import upload from "../src/i18n/upload/en";

const en = {
  ...first,
  ...about,
  ...account,
  ...answer,
  ...ask,
  ...collect,
  ...colonel,
  ...domains,
  ...download,
  ...endtoend,
  ...menu,
  ...open,
  ...receipts,
  ...requests,
  ...revealed,
  ...share,
  ...signin,
  ...upload,
};
type Key = keyof typeof en;

/** t returns an English text of the pages, with its parameters filled in. */
export function t(key: Key, params: Record<string, string> = {}): string {
  return filled(en[key], params);
}

/** german returns a text in German, or in English if it is not translated. */
export function german(key: Key): string {
  return texts[key] ?? en[key];
}

const texts = { ...read("de.json"), ...read("about/de.json"), ...read("open/de.json"), ...read("revealed/de.json") };

function read(name: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(`../src/i18n/${name}`, import.meta.url), "utf8")) as Record<string, string>;
}

/** filled returns a text with its parameters filled in. */
export function filled(text: string, params: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole);
}
