/** What may be a key, the secret part of a link, a token, an e-mail address or part of a link. */
const secrets = [/[0-9a-z]{25,}/gi, /[\w.+-]+@[\w-]+(\.[\w-]+)+/g, /([?#])[^\s)"']*/g];

/** The paths whose second segment is a key or a token. */
const opening = /\/(e|s|r|q|c|secret|private|metadata|receipt|signup|verify|reset|confirm)\/[^\s/?#:)"']+/g;

/** The paths of links whose # a mail gateway has escaped. */
const mangled = /\/([esrqc])%(25)*23[^\s)"']*/gi;

/** scrub removes from a text what may be a key, a token, a link or an e-mail address. */
export function scrub(text: string): string {
  let clean = text.replace(opening, "/$1/:key").replace(mangled, "/$1#");
  for (const secret of secrets) {
    clean = clean.replace(secret, (_, mark) => (typeof mark === "string" && /[?#]/.test(mark) ? mark : "[removed]"));
  }
  return clean;
}
