/** hostIn returns the host name in pasted text, which is often a URL. */
export function hostIn(text: string): string {
  return text
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/[/?#].*$/s, "");
}
