/*
 * Texts for the pages that are loaded on demand: the functions of i18n, with the
 * second catalogue loaded.
 */
import en from "../en.more";
import { addTexts } from "../index";

export type { Key, Locale, Params, PluralKey } from "../index";
export { chooseLocale, locale, locales, number, region, rich, t, tag, tn } from "../index";

// A page that imports this module waits until its texts are loaded.
await addTexts(en, import.meta.glob<{ default: Record<string, string> }>("./*.json"));
