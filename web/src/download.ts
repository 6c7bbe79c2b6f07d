/** download saves a text as a file on the visitor's device. */
export function download(name: string, text: string, type = "application/octet-stream"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
