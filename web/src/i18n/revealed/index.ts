/* The texts of a secret that was opened. */
import { addTexts } from "../index";
import en from "./en";

// A page that imports this module waits until its texts are loaded.
export const { t } = await addTexts(en, import.meta.glob("./*.json"));
