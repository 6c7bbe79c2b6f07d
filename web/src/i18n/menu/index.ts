/* The texts of the menu of an account. */
import { addTexts, type KeyOf } from "../index";
import en from "./en";

export type Key = KeyOf<typeof en>;

// What imports this module waits until its texts are loaded.
export const { t, tn, rich } = await addTexts(en, import.meta.glob("./*.json"));
