/*
 * Which files are images of pixels that a device can draw. Others may contain scripts or
 * addresses, as SVG does, and a few bytes can say that they are more pixels than a device
 * has memory for. A frame of a GIF may be larger than the GIF says, so none is drawn.
 */
import type { Bytes } from "../endtoend/bytes";

/** The most pixels that are drawn: 64 MB of memory. */
const mostPixels = 16_000_000;

/** Kind is a format of images: the first bytes as characters, where a dot stands for any byte, and where it says how large it is. */
interface Kind {
  type: string;
  begins: string;
  /** Returns the number of pixels; undefined if the file does not say it where it must. */
  pixels: (view: DataView) => number | undefined;
}

const kinds: readonly Kind[] = [
  { type: "image/png", begins: "\x89PNG\r\n\x1a\n....IHDR", pixels: (view) => view.getUint32(16) * view.getUint32(20) },
  { type: "image/jpeg", begins: "\xff\xd8\xff", pixels: pixelsOfJpeg },
  { type: "image/webp", begins: "RIFF....WEBPVP8", pixels: pixelsOfWebp },
];

/** imageType returns the type of an image that browsers draw, by its content alone, and undefined for all else. */
export function imageType(body: Bytes): string | undefined {
  const kind = kinds.find(({ begins }) =>
    [...begins].every((char, i) => char === "." || char.charCodeAt(0) === body[i]),
  );
  return kind && isDrawable(kind, body) ? kind.type : undefined;
}

/** isDrawable reports whether an image says that it has few enough pixels. */
function isDrawable({ pixels }: Kind, body: Bytes): boolean {
  try {
    const number = pixels(new DataView(body.buffer, body.byteOffset, body.byteLength));
    return number !== undefined && number > 0 && number <= mostPixels;
  } catch {
    return false; // it ends before it says that
  }
}

/** pixelsOfJpeg goes from segment to segment to the one that begins a frame. */
function pixelsOfJpeg(view: DataView): number | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isTable = marker === 0xc4 || marker === 0xc8 || marker === 0xcc;
    if (marker >= 0xc0 && marker <= 0xcf && !isTable) {
      return view.getUint16(at + 5) * view.getUint16(at + 7);
    }
  }
  return undefined;
}

/** pixelsOfWebp reads the first chunk: of a lossy, a lossless or an extended file. */
function pixelsOfWebp(view: DataView): number | undefined {
  switch (String.fromCharCode(view.getUint8(15))) {
    case " ":
      return (view.getUint16(26, true) & 0x3fff) * (view.getUint16(28, true) & 0x3fff);
    case "L": {
      const bits = view.getUint32(21, true);
      return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1);
    }
    case "X": {
      const side = (at: number) => (view.getUint16(at, true) | (view.getUint8(at + 2) << 16)) + 1;
      return side(24) * side(27);
    }
    default:
      return undefined;
  }
}
