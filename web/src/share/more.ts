/*
 * Whether the fields that few people need are unfolded. The browser keeps that for the
 * next visit, and nothing of what is in them.
 */
import { signal } from "@preact/signals";
import { read, write } from "../storage";

const key = "hush.more";

/** unfolded is whether the fields are shown. */
export const unfolded = signal(read(key) === "1");

/** unfold shows the fields, or folds them away. */
export function unfold(shown: boolean): void {
  unfolded.value = shown;
  write(key, shown ? "1" : null);
}
