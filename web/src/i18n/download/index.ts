/* The texts of downloading a file. */
import { addTexts, type KeyOf } from "../index";
import en from "./en";

export type Key = KeyOf<typeof en>;

// A page that imports this module waits until its texts are loaded.
export const { t, tn, rich } = await addTexts(en, import.meta.glob("./*.json"));
