/*
 * Restores the compressed files of dist whose content is that of the last commit.
 * Releases of Node compress the same content into different bytes; only another
 * content makes dist stale.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

const git = (...args) => execFileSync("git", args, { maxBuffer: 1 << 28 });
const unpack = { ".gz": gunzipSync, ".br": brotliDecompressSync };

const changed = git("diff", "--name-only", "--relative", "--diff-filter=M", "-z", "--", "dist").toString();
const same = changed
  .split("\0")
  .filter((path) => path.slice(-3) in unpack)
  .filter((path) => {
    const content = unpack[path.slice(-3)];
    return content(readFileSync(path)).equals(content(git("show", `HEAD:./${path}`)));
  });
if (same.length > 0) {
  git("checkout", "--", ...same);
}
