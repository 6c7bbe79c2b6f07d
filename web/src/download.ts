/** download saves a text, bytes or a file of the browser on the visitor's device. */
export function download(
  name: string,
  content: string | Uint8Array<ArrayBuffer> | Blob,
  type = "application/octet-stream",
): void {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // A large file is copied for a while, and some browsers look at its address late.
  setTimeout(() => URL.revokeObjectURL(url), content instanceof Blob ? 60_000 : 1000);
}
