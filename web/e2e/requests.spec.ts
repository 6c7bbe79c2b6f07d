/*
 * X-Wing of the browser and of the library: each opens what the other sealed, and the
 * browser's opens what Go did. The unit tests run without a browser's.
 */
import { readFileSync } from "node:fs";
import { build } from "vite";
import { expect, type Page, test, url } from "./fixtures";
import type { Sent } from "./requests";

const folder = ".tmp/requests";

/** Vector is one of seal/request/testdata. */
interface Vector extends Sent {
  title: string;
  note: string;
  kinds: number[];
  latest: number;
  answers: number;
  k: string;
  fileName: string;
}

test.describe.configure({ mode: "default" }); // one worker builds the script, once

test.beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: "warn",
    base: "./",
    build: {
      outDir: folder,
      copyPublicDir: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: {
        input: "e2e/requests.ts",
        output: { entryFileNames: "requests.js", chunkFileNames: "[name].js" },
      },
    },
  });
});

/** visit runs the script in a page of the service, under its policy, and returns the names of what it loads. */
async function visit(page: Page): Promise<string[]> {
  const loaded: string[] = [];
  await page.route("**/of-test/*", async (route) => {
    const name = new URL(route.request().url()).pathname.split("/").pop() ?? "";
    loaded.push(name);
    await route.fulfill({ contentType: "text/javascript", body: readFileSync(`${folder}/${name}`) });
  });
  await page.goto("/about");
  await page.evaluate((script) => import(script), `${url}/of-test/requests.js`);
  const has = await page.evaluate(() => hushRequests.hasNative());
  test.skip(!has, "this browser has no X-Wing");
  return loaded;
}

test("the browser's X-Wing opens requests and answers of Go, without the library", async ({ page }) => {
  const loaded = await visit(page);
  const vectors: Vector[] = JSON.parse(readFileSync("../seal/request/testdata/go.json", "utf8"));
  for (const { title, note, kinds, latest, answers, k, fileName, ...sent } of vectors) {
    expect(await page.evaluate((sent) => hushRequests.read(sent), sent), title).toEqual({
      card: { title, note, kinds: kinds.map((kind) => (kind === 1 ? "text" : "file")), latest, answers },
      name: fileName,
      k,
    });
  }
  expect(loaded).not.toContain("library.js");
});

test("the browser's X-Wing and the library's open what the other sealed, and refuse the same keys @check", async ({
  page,
}) => {
  const loaded = await visit(page);
  expect(await page.evaluate(() => hushRequests.crossed())).toEqual([true, true, true, true]);
  const [native, library, all] = await page.evaluate(() => hushRequests.refused());
  expect([native, library]).toEqual([all, all]);
  expect(loaded).toContain("library.js");
});
