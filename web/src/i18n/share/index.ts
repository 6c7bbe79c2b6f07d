/* The texts of what the page that shares loads later: the generator, files and the links. */
import { addTexts, type KeyOf } from "../index";
import en from "./en";

export type Key = KeyOf<typeof en>;

// A component that imports this module waits until its texts are loaded.
export const { t, tn, rich } = await addTexts(en, import.meta.glob("./*.json"));
