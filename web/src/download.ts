import { fitted } from "./share/filename";

/**
 * The longest name of a saved file, in bytes. While browsers save, they add to a name
 * what marks it as unfinished or as the second one: of the longest that file systems
 * keep they save nothing.
 */
const longest = 200;

/** download saves a text or bytes as a file on the visitor's device, under a name that is shortened if need be. */
export function download(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  type = "application/octet-stream",
): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fitted(name, "", longest);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
