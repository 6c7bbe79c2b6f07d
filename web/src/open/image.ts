/* Which files are images of pixels. Others may contain scripts or addresses, as SVG does. */
import type { Bytes } from "../endtoend/bytes";

/** The first bytes of each kind, as characters. A dot stands for any byte. */
const beginnings: readonly (readonly [type: string, begins: string])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF8"],
  ["image/webp", "RIFF....WEBP"],
];

/** imageType returns the type of an image that browsers draw, by its content alone, and undefined for all else. */
export function imageType(body: Bytes): string | undefined {
  return beginnings.find(([, begins]) =>
    [...begins].every((char, i) => char === "." || char.charCodeAt(0) === body[i]),
  )?.[0];
}
