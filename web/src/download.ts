/** download saves a text or bytes as a file on the visitor's device. */
export function download(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  type = "application/octet-stream",
): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
