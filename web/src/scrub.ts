/** What may be a key, a token or part of a link, wherever it stands. */
const secrets = [/[0-9a-z]{25,}/gi, /[\w.+-]+@[\w-]+(\.[\w-]+)+/g, /([?#])[^\s)"']*/g];

/** The first segments of paths whose second one opens something. */
const opening = /\/(s|r|secret|private|metadata|receipt|signup|verify|reset|confirm)\/[^\s/?#:)"']+/g;

/** scrub takes out of a text whatever may open something or name somebody. */
export function scrub(text: string): string {
  let clean = text.replace(opening, "/$1/:key");
  for (const secret of secrets) {
    clean = clean.replace(secret, (_, mark) => (typeof mark === "string" && /[?#]/.test(mark) ? mark : "[removed]"));
  }
  return clean;
}
