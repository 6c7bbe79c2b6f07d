/* The texts of the field that asks for a link. */
import { addTexts } from "../index";
import en from "./en";

// A page that imports this module waits until its texts are loaded.
export const { t } = await addTexts(en, import.meta.glob("./*.json"));
