/* Draws every other form of the icon from public/icon.svg: the favicon, the icons of
   the home screen and the image in previews of links. `node scripts/icons.mjs` writes
   them; with --check it fails if one shows anything else. It takes no library, and the
   same drawing gives the same pixels on every machine. */
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync, inflateSync } from "node:zlib";

const folder = new URL("../public/", import.meta.url);
const svg = readFileSync(new URL("icon.svg", folder), "utf8");
const [, side, corner, ground] = /<rect width="(\d+)" height="\d+" rx="(\d+)" fill="(#\w{6})"\/>/.exec(svg);
const [, keyhole, figure] = /<path d="([^"]+)" fill="(#\w{6})"\/>/.exec(svg);
const dotColor = "#7accc9"; // --accent in dark

/** flatten returns the points of a path of the commands that the icon uses. */
function flatten(d) {
  const points = [];
  let [x, y] = [0, 0];
  for (const [, command, list] of d.matchAll(/([MLHVAZ])([^MLHVAZ]*)/gi)) {
    const n = (list.match(/-?(\d*\.\d+|\d+)/g) ?? []).map(Number);
    const [ox, oy] = command === command.toLowerCase() ? [x, y] : [0, 0];
    switch (command.toUpperCase()) {
      case "M":
      case "L":
        [x, y] = [ox + n[0], oy + n[1]];
        break;
      case "H":
        x = ox + n[0];
        break;
      case "V":
        y = oy + n[0];
        break;
      case "A": {
        const end = [ox + n[5], oy + n[6]];
        points.push(...arc([x, y], end, n[0], n[3] !== n[4]));
        [x, y] = end;
        break;
      }
      case "Z":
        continue;
      default:
        throw new Error(`the path has the command ${command}`);
    }
    points.push([x, y]);
  }
  return points;
}

/** arc returns the points between two on a circle; left says on which side of the way its centre lies. */
function arc([x0, y0], [x1, y1], radius, left) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const half = Math.sqrt(dx * dx + dy * dy) / 2;
  const away = (left ? 1 : -1) * Math.sqrt(Math.max(0, radius * radius - half * half));
  const [cx, cy] = [(x0 + x1) / 2 - (away * dy) / (2 * half), (y0 + y1) / 2 + (away * dx) / (2 * half)];
  const from = Math.atan2(y0 - cy, x0 - cx);
  let to = Math.atan2(y1 - cy, x1 - cx);
  // Both arcs of the icon go clockwise.
  if (to < from) to += 2 * Math.PI;
  const steps = 256;
  return Array.from({ length: steps - 1 }, (_, i) => {
    const angle = from + ((to - from) * (i + 1)) / steps;
    return [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
  });
}

/** disc and square return the points of a circle, and of a square with round corners. */
function disc(cx, cy, r) {
  return Array.from({ length: 256 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 256;
    return [cx + r * Math.cos(angle), cy + r * Math.sin(angle)];
  });
}

function square(size, r) {
  if (r === 0) return [[0, 0], [size, 0], [size, size], [0, size]]; // biome-ignore format: one square
  return [
    [size - r, size - r, 0],
    [r, size - r, 1],
    [r, r, 2],
    [size - r, r, 3],
  ].flatMap(([cx, cy, quarter]) =>
    Array.from({ length: 65 }, (_, i) => {
      const angle = ((quarter + i / 64) * Math.PI) / 2;
      return [cx + r * Math.cos(angle), cy + r * Math.sin(angle)];
    }),
  );
}

/** moved scales points about the origin and moves them. */
const moved = (points, scale, dx, dy) => points.map(([x, y]) => [x * scale + dx, y * scale + dy]);

const hex = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** Picture is an image of RGBA pixels, transparent at first. */
class Picture {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.pixels = new Uint8Array(width * height * 4);
  }

  /** fill paints an outline. Its edge is exact across and in 32 steps down. */
  fill(points, color) {
    const steps = 32;
    const rgb = hex(color);
    for (let row = 0; row < this.height; row++) {
      const cover = new Float64Array(this.width);
      for (let step = 0; step < steps; step++) {
        const crossings = cross(points, row + (step + 0.5) / steps);
        for (let i = 0; i + 1 < crossings.length; i += 2) {
          addSpan(cover, crossings[i], crossings[i + 1], 1 / steps);
        }
      }
      cover.forEach((alpha, column) => {
        if (alpha > 0) this.blend((row * this.width + column) * 4, rgb, Math.min(1, alpha));
      });
    }
  }

  blend(at, rgb, alpha) {
    const below = this.pixels[at + 3] / 255;
    const whole = alpha + below * (1 - alpha);
    rgb.forEach((value, i) => {
      this.pixels[at + i] = Math.round((value * alpha + this.pixels[at + i] * below * (1 - alpha)) / whole);
    });
    this.pixels[at + 3] = Math.round(255 * whole);
  }

  /** lines returns the pixels as a PNG file has them, each row behind its filter: none. */
  lines() {
    const size = this.width * 4;
    return Buffer.concat(
      Array.from({ length: this.height }, (_, row) =>
        Buffer.concat([Buffer.of(0), Buffer.from(this.pixels.buffer, row * size, size)]),
      ),
    );
  }
}

/** cross returns where an outline crosses a horizontal line, from left to right. */
function cross(points, y) {
  const found = [];
  points.forEach(([x0, y0], i) => {
    const [x1, y1] = points[(i + 1) % points.length];
    if (y0 <= y !== y1 <= y) found.push(x0 + ((y - y0) * (x1 - x0)) / (y1 - y0));
  });
  return found.sort((a, b) => a - b);
}

function addSpan(cover, from, to, weight) {
  for (let x = Math.max(0, Math.floor(from)); x < Math.min(cover.length, Math.ceil(to)); x++) {
    cover[x] += weight * (Math.min(to, x + 1) - Math.max(from, x));
  }
}

/** icon draws the icon; with a round of 0 it fills its square, for systems that cut it out themselves. */
function icon(size, round) {
  const picture = new Picture(size, size);
  const scale = size / Number(side);
  picture.fill(moved(square(Number(side), round), scale, 0, 0), ground);
  picture.fill(moved(flatten(keyhole), scale, 0, 0), figure);
  return picture;
}

/** preview draws the keyhole beside something hidden. It has no words, so it is good for every language. */
function preview() {
  const picture = new Picture(1200, 630);
  picture.fill([[0, 0], [1200, 0], [1200, 630], [0, 630]], ground); // biome-ignore format: one square
  picture.fill(moved(flatten(keyhole), 9, 290 - 32 * 9, 315 - 32 * 9), figure);
  for (let i = 0; i < 6; i++) picture.fill(disc(480 + i * 100, 315, 30), dotColor);
  return picture;
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, sum]);
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

const signature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

function png(picture) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(picture.width, 0);
  header.writeUInt32BE(picture.height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const data = deflateSync(picture.lines(), { level: 9 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** ico returns a file with several sizes of an icon. */
function ico(pictures) {
  const files = pictures.map(png);
  const head = Buffer.alloc(6 + 16 * files.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(files.length, 4);
  let at = head.length;
  files.forEach((file, i) => {
    const entry = head.subarray(6 + 16 * i);
    entry.set([pictures[i].width, pictures[i].height]);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(file.length, 8);
    entry.writeUInt32LE(at, 12);
    at += file.length;
  });
  return Buffer.concat([head, ...files]);
}

/** shown returns what the PNG files within a file show, or nothing if this script did not write them. Compressors differ, pixels do not. */
function shown(file) {
  const pictures = [];
  for (let start = file.indexOf(signature); start >= 0; start = file.indexOf(signature, start + 1)) {
    const size = file.readUInt32BE(start + 33);
    try {
      pictures.push(file.subarray(start + 16, start + 29), inflateSync(file.subarray(start + 41, start + 41 + size)));
    } catch {
      return Buffer.alloc(0);
    }
  }
  return Buffer.concat(pictures);
}

const round = Number(corner);
const files = {
  "favicon.ico": ico([16, 32, 48].map((size) => icon(size, round))),
  "icon-180.png": png(icon(180, 0)),
  "icon-192.png": png(icon(192, round)),
  "icon-512.png": png(icon(512, round)),
  "icon-maskable-512.png": png(icon(512, 0)),
  "preview.png": png(preview()),
};

for (const [name, file] of Object.entries(files)) {
  const path = new URL(name, folder);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, file);
  } else if (!shown(readFileSync(path)).equals(shown(file))) {
    console.error(`${name} does not show public/icon.svg: run npm run icons`);
    process.exitCode = 1;
  }
}
