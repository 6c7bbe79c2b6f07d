/* The texts of the page that collects the answers to a request. */
import { addTexts, type KeyOf } from "../index";
import en from "./en";

export type Key = KeyOf<typeof en>;

// A page that imports this module waits until its texts are loaded.
export const { t, rich } = await addTexts(en, import.meta.glob("./*.json"));
