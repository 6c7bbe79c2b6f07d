// Builds the unit tests with Vite, as the client is built, and runs them with
// Node's test runner. The browser's tests cover what draws.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { build } from "vite";

const out = ".tmp/tests";
const names = readdirSync("tests").filter((name) => name.endsWith(".test.ts"));

rmSync(out, { recursive: true, force: true });
await build({
  configFile: false,
  logLevel: "warn",
  build: {
    ssr: true,
    outDir: out,
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries(names.map((name) => [name.replace(/\.ts$/, ""), `tests/${name}`])),
      output: { entryFileNames: "[name].mjs" },
    },
  },
});

const files = names.map((name) => `${out}/${name.replace(/\.ts$/, ".mjs")}`);
const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
process.exitCode = status ?? 1;
