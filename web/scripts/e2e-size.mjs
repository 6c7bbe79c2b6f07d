/*
 * Prints the gzipped size of the scripts that a page loads before its first
 * paint, and fails above the limit. e2e/size.spec.ts counts in a browser what
 * pages load after that.
 */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

const limit = 26 * 1024;
const dist = new URL("../dist/", import.meta.url);

const html = readFileSync(new URL("index.html", dist), "utf8");
const entries = [...html.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="\/([^"]+\.js)"/g)].map((found) => found[1]);
const sizes = new Map();
for (const entry of entries) {
  add(entry);
}

/** add counts a script and its static imports. */
function add(path) {
  if (sizes.has(path)) {
    return;
  }
  const file = read(path);
  sizes.set(path, gzipSync(file).length);
  for (const [, name] of file.toString().matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([^"']+\.js)["']/g)) {
    add(`assets/${name}`);
  }
}

/** read returns a script, which dist has in gzip unless that is larger. */
function read(path) {
  const packed = new URL(`${path}.gz`, dist);
  return existsSync(packed) ? gunzipSync(readFileSync(packed)) : readFileSync(new URL(path, dist));
}

const sum = [...sizes.values()].reduce((total, size) => total + size, 0);
for (const [path, size] of sizes) {
  console.log(`${String(size).padStart(7)} ${path}`);
}
console.log(`${String(sum).padStart(7)} of ${limit} bytes in ${sizes.size} scripts`);
if (sizes.size !== 2 || sum > limit) {
  console.log("FAIL: want two scripts, the first and the application, and no more than the limit");
  process.exitCode = 1;
}
