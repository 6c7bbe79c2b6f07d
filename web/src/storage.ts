/*
 * What the browser keeps for the next visit: the language, the theme,
 * whether rarely used fields are unfolded, and the history if the visitor turned it on.
 * A browser may forbid storage: then it keeps nothing, and every choice lasts until the
 * page is closed.
 */

/** read returns an item, or null if there is none. */
export function read(item: string): string | null {
  try {
    return localStorage.getItem(item);
  } catch {
    return null;
  }
}

/** write sets an item, or removes it for null. It reports whether the browser stored that. */
export function write(item: string, value: string | null): boolean {
  try {
    if (value === null) {
      localStorage.removeItem(item);
    } else {
      localStorage.setItem(item, value);
    }
    return true;
  } catch {
    return false;
  }
}
