/* Whether this device keeps a history. It is apart from the history so that the first script stays small. */
import { signal } from "@preact/signals";
import { read } from "../storage";

/** The item of the browser's storage that has the history. */
export const item = "hush.history";

/** Whether the visitor turned the history on. */
export const keepsHistory = signal(read(item) !== null);
