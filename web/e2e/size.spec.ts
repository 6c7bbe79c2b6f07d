import { brotliCompressSync, constants } from "node:zlib";
import { ask } from "./asked";
import { button, expect, test } from "./fixtures";
import { seal, text } from "./sealed";
import { conceal } from "./service";
import { t } from "./texts";

/** The pages, and the most bytes that all their scripts may have in brotli. */
const pages: Record<string, { path: () => Promise<string>; limit: number }> = {
  "/": { path: async () => "/", limit: 61 * 1024 },
  "/s": { path: async () => `/s#${(await conceal({ secret: "e2e secret" })).key}`, limit: 65 * 1024 },
  "/q": { path: async () => (await ask()).requestPlace, limit: 85 * 1024 },
  "/e": { path: async () => `/e#${(await seal(text("e2e secret"))).fragment}`, limit: 67 * 1024 },
};

/** What the main button says, where it does not open a secret. */
const submits: Record<string, "share.submit" | "answer.submit"> = { "/": "share.submit", "/q": "answer.submit" };

/** brotli returns the length of a script as the build compresses it. */
function brotli(body: Buffer): number {
  return brotliCompressSync(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  }).length;
}

for (const [name, { path, limit }] of Object.entries(pages)) {
  test(`the scripts of ${name} are small`, async ({ page }) => {
    // Those of the next pages come later, and not to visitors who save data.
    await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
    const sizes: Promise<[string, number]>[] = [];
    page.on("response", (response) => {
      if (response.request().resourceType() === "script") {
        sizes.push(response.body().then((body) => [new URL(response.url()).pathname, brotli(body)]));
      }
    });
    await page.goto(await path());
    await expect(button(page, t(submits[name] ?? "open.reveal"))).toBeVisible();
    await page.waitForLoadState("networkidle");
    const all = await Promise.all(sizes);
    const sum = all.reduce((total, [, size]) => total + size, 0);
    expect(all.length, "scripts").toBeGreaterThan(0);
    expect(sum, `bytes of ${JSON.stringify(Object.fromEntries(all), null, 1)}`).toBeLessThanOrEqual(limit);
  });
}

test("no style and no script stands in the page itself", async ({ request }) => {
  for (const path of ["/", "/s", "/secret/x", "/nowhere"]) {
    const html = await (await request.get(path)).text();
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  }
});
