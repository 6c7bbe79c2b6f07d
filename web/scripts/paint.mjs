/*
 * Measures pages on a slow phone: 150 ms of latency, 1.6 Mbit/s, a processor at a
 * quarter of its speed. It needs a running service and Chromium, and prints
 * medians of visits with an empty cache. With the addresses of two services it
 * visits them in turns, so that the load of the machine falls on both alike.
 *
 *   CHROMIUM=/usr/bin/chromium VISITS=10 node scripts/paint.mjs http://127.0.0.1:7143 http://127.0.0.1:7144
 */
import { randomBytes } from "node:crypto";
import { chromium } from "@playwright/test";

/** The shortest content that a device seals, in bytes. */
const sealedSize = 328;
const visits = Number(process.env.VISITS ?? 11);
const urls = process.argv.length > 2 ? process.argv.slice(2) : ["http://127.0.0.1:7143"];
const pages = [
  { name: "share", path: async () => "/", content: "textarea" },
  {
    name: "open",
    path: async (url) => `/s#${await conceal(url, { secret: "paint" })}`,
    content: "button[type=submit]",
  },
  { name: "end-to-end", path: async (url) => `/e#${await seal(url)}`, content: "button[type=submit]" },
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-background-networking"],
});
for (const { name, path, content } of pages) {
  const seen = urls.map(() => []);
  const addresses = await Promise.all(urls.map(async (url) => url + (await path(url))));
  for (let i = 0; i < visits; i++) {
    // Each pair begins with the other one.
    const order = [...urls.keys()];
    for (const at of i % 2 ? order.reverse() : order) {
      seen[at].push(await visit(addresses[at], content));
    }
  }
  for (const [at, url] of urls.entries()) {
    const [painted, usable] = ["painted", "usable"].map((what) => seen[at].map((s) => s[what]));
    console.log(`${name} ${url}: first paint ${of(painted)}, what it is for ${of(usable)}`);
  }
}
await browser.close();

async function conceal(url, request) {
  const answer = await fetch(`${url}/hush.v1.SecretService/ConcealSecret`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  if (!answer.ok) {
    throw new Error(`ConcealSecret: got ${answer.status} ${await answer.text()}, want 200`);
  }
  return (await answer.json()).secret.secretKey;
}

/** seal shares what no link opens, but looks sealed: only its page is measured. */
async function seal(url) {
  const [content, linkProofHash, proofHash] = [sealedSize, 32, 32].map((size) => randomBytes(size).toString("base64"));
  const key = await conceal(url, { sealed: { content, linkProofHash, proofHash } });
  return key + "a".repeat(43);
}

async function visit(address, content) {
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
  await page.goto(address);
  await page.waitForFunction(() => globalThis.usable);
  const times = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    usable: globalThis.usable,
  }));
  await context.close();
  return times;
}

/** of returns the median and the range of times. */
function of(times) {
  const sorted = times.map(Math.round).sort((a, b) => a - b);
  return `${sorted[sorted.length >> 1]} ms (${sorted[0]} to ${sorted.at(-1)})`;
}
