/*
 * Texts in the visitor's language. English is part of the script. The other
 * languages are loaded on demand; a text that they lack stays English.
 *
 *   t("share.submit")
 *   t("share.size", { used, limit })         fills {used} and {limit}
 *   tn("open.passphrase.wrong", 3)           picks the form .one, .few, .many or .other
 *   rich("open.expires", { relative: <b/> }) as t, with elements
 *
 * This folder has the texts of the first script. Each folder below it has the
 * texts of the pages of one area; those pages import the same functions from
 * there. Components that call these functions are rendered again when the
 * language changes.
 */
import { computed, signal } from "@preact/signals";
import type { ComponentChild } from "preact";
import { read, write } from "../storage";
import en from "./en";

/** Key is a key of the first script's texts. */
export type Key = keyof typeof en;
/** KeyOf is a key of a catalogue or of the first script's texts. */
export type KeyOf<Catalogue> = Key | (keyof Catalogue & string);
/** PluralOf is a key with plural forms, without the form. */
type PluralOf<K extends string> = K extends `${infer Base}.other` ? Base : never;
export type Params = Record<string, string | number>;

/** The languages by their own names, in the order of the menu. */
export const locales = {
  de: "Deutsch",
  en: "English",
  es: "Español",
  fr: "Français",
  it: "Italiano",
  nl: "Nederlands",
  pl: "Polski",
  pt_BR: "Português (Brasil)",
  uk: "Українська",
  he: "עברית",
  ar: "العربية",
  ja: "日本語",
} as const;

export type Locale = keyof typeof locales;

const storageKey = "hush.locale";

/** The languages that are written from right to left, with those that have no catalogue yet. */
const rightToLeft = ["ar", "fa", "he", "ur"];

/** directionOf returns the direction of a language, given as a tag or a name, as in ar-EG. */
export function directionOf(name: string): "ltr" | "rtl" {
  return rightToLeft.includes(name.split(/[-_]/)[0] ?? "") ? "rtl" : "ltr";
}

/** The language with the visitor's region, as in en-GB, for times and numbers. */
export const region = computed(() => {
  const own = navigator.languages.find((name) => parse(name) === locale.value);
  return own ?? tag.value;
});

type Texts = Record<string, string>;
/** Languages has the function that loads a language, by the name of its file. */
type Languages = Record<string, () => Promise<unknown>>;

/** The loaded English texts, and the sources of the other languages. */
const english: Texts = { ...en };
const sources: Languages[] = [import.meta.glob("./*.json")];

/** The language of the page, as in pt_BR. */
export const locale = signal<Locale>("en");
/** The language as a tag, as in pt-BR, for the lang attribute and for plurals. */
export const tag = computed(() => locale.value.replace("_", "-"));

const texts = signal<Texts>({});

export function t(key: Key, params?: Params): string {
  return fill(textOf(key), params);
}

function textOf(key: string): string {
  return texts.value[key] ?? english[key] ?? key;
}

export function tn(key: PluralOf<Key>, count: number, params?: Params): string {
  const form = new Intl.PluralRules(tag.value).select(count);
  const text =
    texts.value[`${key}.${form}`] ??
    texts.value[`${key}.other`] ??
    english[`${key}.${count === 1 ? "one" : "other"}`] ??
    english[`${key}.other`] ??
    key;
  return fill(text, { count: number(count), ...params });
}

export function rich(key: Key, parts: Record<string, ComponentChild>): ComponentChild[] {
  return textOf(key)
    .split(/\{(\w+)\}/)
    .map((piece, i) => (i % 2 === 0 ? piece : (parts[piece] ?? `{${piece}}`)));
}

/** number formats a number in the visitor's language. */
export function number(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(region.value, options).format(value);
}

function fill(text: string, params?: Params): string {
  return params ? text.replace(/\{(\w+)\}/g, (whole, name: string) => isolated(String(params[name] ?? whole))) : text;
}

/**
 * isolated keeps a value of the other direction from reordering the sentence around
 * it, with the characters FSI and PDI. Links stay as they are: programs that find
 * links in a text would take the PDI for a part of them.
 */
function isolated(value: string): string {
  const other = directionOf(tag.peek()) === "ltr" ? /[\u0590-\u08ff]/ : /[a-z]/i;
  return other.test(value) && !value.includes("://") ? `\u2068${value}\u2069` : value;
}

/** startLocale chooses and loads the language of the first page. */
export async function startLocale(): Promise<void> {
  await show(stored() ?? firstKnown(navigator.languages) ?? "en");
}

/** chooseLocale shows the language that the visitor chose, and stores the choice. */
export async function chooseLocale(next: Locale): Promise<void> {
  write(storageKey, next);
  await show(next);
}

/** followAccountLocale shows the account's language, unless the visitor chose one in this browser. */
export function followAccountLocale(name: string): void {
  const next = parse(name);
  if (next && !stored()) {
    void show(next);
  }
}

/** suggestLocale shows a language if none of the visitor's own is supported. */
export function suggestLocale(name: string): void {
  if (!firstKnown(navigator.languages)) {
    followAccountLocale(name);
  }
}

/** parse returns the locale for a name such as pt-br or de_AT. */
export function parse(name: string): Locale | undefined {
  const wanted = name.toLowerCase().replace("-", "_");
  const known = Object.keys(locales) as Locale[];
  const language = wanted.split("_")[0] ?? "";
  return known.find((l) => l.toLowerCase() === wanted) ?? known.find((l) => l.split("_")[0] === language);
}

export function firstKnown(names: readonly string[]): Locale | undefined {
  for (const name of names) {
    const found = parse(name);
    if (found) {
      return found;
    }
  }
  return undefined;
}

/** Functions has the functions for the texts of a catalogue and of the first script. */
interface Functions<K extends string> {
  t: (key: K, params?: Params) => string;
  tn: (key: PluralOf<K>, count: number, params?: Params) => string;
  rich: (key: K, parts: Record<string, ComponentChild>) => ComponentChild[];
}

/** addTexts adds a catalogue, loads it in the current language and returns its functions. */
export async function addTexts<C extends Texts>(catalogue: C, languages: Languages): Promise<Functions<KeyOf<C>>> {
  Object.assign(english, catalogue);
  sources.push(languages);
  await show(locale.peek());
  return { t, tn, rich } as Functions<KeyOf<C>>;
}

async function show(next: Locale): Promise<void> {
  try {
    texts.value = next === "en" ? {} : await textsIn(next);
    locale.value = next;
  } catch {
    // The texts did not load: the page keeps its language.
  }
  document.documentElement.lang = tag.value;
  document.documentElement.dir = directionOf(tag.value);
}

/** textsIn loads all catalogues in a language, also those that are added meanwhile. */
async function textsIn(name: Locale): Promise<Texts> {
  let parts: unknown[] = [];
  while (parts.length < sources.length) {
    parts = await Promise.all(sources.map((languages) => languages[`./${name}.json`]?.()));
  }
  return Object.assign({}, ...(parts as ({ default: Texts } | undefined)[]).map((part) => part?.default)) as Texts;
}

function stored(): Locale | undefined {
  const name = read(storageKey);
  return name ? parse(name) : undefined;
}
