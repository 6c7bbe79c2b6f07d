/*
 * Texts of the pages that are loaded when they are wanted: what i18n has, with
 * the rest of the catalogue behind it.
 */
import en from "../en.more";
import { addTexts } from "../index";

export type { Key, Locale, Params, PluralKey } from "../index";
export { chooseLocale, locale, locales, number, region, rich, t, tag, tn } from "../index";

// A page that imports this waits for the visitor's language with it.
await addTexts(en, import.meta.glob<{ default: Record<string, string> }>("./*.json"));
