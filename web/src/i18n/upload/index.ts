/* The texts of files that are sent in parts. */
import { addTexts, type KeyOf } from "../index";
import en from "./en";

export type Key = KeyOf<typeof en>;

// A component that imports this module waits until its texts are loaded.
export const { t } = await addTexts(en, import.meta.glob("./*.json"));
