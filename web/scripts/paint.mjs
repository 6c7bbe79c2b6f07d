/*
 * Measures the first paint of pages on a slow phone: 150 ms of latency,
 * 1.6 Mbit/s, a processor at a quarter of its speed. It needs a running service
 * and Chromium, and prints medians of 11 visits with an empty cache.
 *
 *   CHROMIUM=/usr/bin/chromium node scripts/paint.mjs http://127.0.0.1:7143
 */
import { chromium } from "@playwright/test";

const visits = 11;
const url = process.argv[2] ?? "http://127.0.0.1:7143";
const answer = await fetch(`${url}/api/v1/share`, { method: "POST", body: new URLSearchParams({ secret: "paint" }) });
const { secret_key: key } = await answer.json();
const pages = [
  { name: "share", path: "/", content: "textarea" },
  { name: "open", path: `/s#${key}`, content: "button[type=submit]" },
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-background-networking"],
});
for (const page of pages) {
  const seen = [];
  for (let i = 0; i < visits; i++) {
    seen.push(await visit(page));
  }
  const [painted, usable] = ["painted", "usable"].map((what) => Math.round(median(seen.map((s) => s[what]))));
  console.log(`${page.name}: first paint ${painted} ms, what it is for ${usable} ms`);
}
await browser.close();

async function visit({ path, content }) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1.6e6 / 8,
    uploadThroughput: 0.75e6 / 8,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.addInitScript((selector) => {
    new MutationObserver(() => {
      globalThis.usable ??= document.querySelector(selector) ? performance.now() : undefined;
    }).observe(document, { childList: true, subtree: true });
  }, content);
  await page.goto(url + path);
  await page.waitForFunction(() => globalThis.usable);
  const times = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    usable: globalThis.usable,
  }));
  await context.close();
  return times;
}

function median(times) {
  return times.sort((a, b) => a - b)[times.length >> 1];
}
