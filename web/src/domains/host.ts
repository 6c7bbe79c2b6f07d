/** hostIn is the host name in what people paste: often a whole address. */
export function hostIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/[/?#].*$/s, "");
}
