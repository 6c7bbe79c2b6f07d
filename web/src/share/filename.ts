/** The longest name that file systems keep, in bytes of UTF-8. */
const longest = 255;
/** What the format refuses in a name: it could deceive, or lead to another folder. */
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}/\\]/gu;

const bytes = (text: string) => new TextEncoder().encode(text).length;

/** cleanName returns the name that a file is shared under. It keeps the ending of a name that is too long. */
export function cleanName(name: string): string {
  const safe = name.replace(unsafe, "_");
  return safe === "" || safe === "." || safe === ".." ? "file" : fitted(safe, "");
}

/** fitted puts a mark before the ending of a name, and shortens what is before the mark. */
export function fitted(name: string, mark: string, most = longest): string {
  const ending = /.\.([^.]{1,20})$/su.exec(name)?.[0].replace(/^[^.]*/u, "") ?? "";
  const stem = name.slice(0, name.length - ending.length);
  return shortened(stem, most - bytes(mark + ending)) + mark + ending;
}

/** shortened returns as much of a text as has at most so many bytes. It cuts no character. */
function shortened(text: string, most: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += bytes(character);
    if (used > most) {
      break;
    }
    end += character.length;
  }
  return text.slice(0, end);
}

/**
 * distinct returns clean names of which no two are the same for a file system that
 * ignores case. None is __proto__, which objects do not keep as a name.
 */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>(["__proto__"]);
  return names.map((name) => {
    const clean = cleanName(name);
    let free = clean;
    for (let n = 2; taken.has(folded(free)); n++) {
      free = fitted(clean, ` (${n})`);
    }
    taken.add(folded(free));
    return free;
  });
}

const folded = (name: string) => name.normalize("NFC").toLowerCase();

/** cleanType returns the media type of a file as the format takes it, or an empty string. */
export function cleanType(type: string): string {
  return /^[\x21-\x7e]{1,127}$/.test(type) ? type : "";
}
