import { sealedSize } from "../endtoend/chunked";
import { padded } from "../endtoend/content";

/** What a header takes at most, with its length. */
const header = 2048;

/** textMost returns how many bytes of a content always fit, padded and encrypted, into so many. */
export function textMost(sealed: number): number {
  let [fits, over] = [0, Math.max(1, Math.min(sealed, 2 ** 31))];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (sealedSize(padded(middle)) <= sealed) {
      fits = middle;
    } else {
      over = middle;
    }
  }
  return Math.max(0, fits - header);
}
