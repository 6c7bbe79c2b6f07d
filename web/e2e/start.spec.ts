/* What stands on a page before its scripts have run, and that nothing jumps when they have. */
import { devices } from "@playwright/test";
import { ada, button, colonel, expect, expectAccessible, type Page, signIn, speak, test } from "./fixtures";
import { type Place, places, settle } from "./pages";
import { filled, german, t } from "./texts";

/** The most that may move on a page while it loads, as the browser counts it. */
const most = 0.02;

/** The part of the page that the service sends. */
const start = (page: Page) => page.locator("#start");

/** block keeps the client from running. The first script runs. */
const block = (page: Page) => page.route("**/assets/app-*.js", (route) => route.abort());

/** slowDown makes the page a phone's on a slow line. */
async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const line = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
  await devtools.send("Network.emulateNetworkConditions", { offline: false, ...line });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** moved returns how much has moved since the page began to load, and what. */
async function moved(page: Page): Promise<{ sum: number; what: string }> {
  const all = await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return globalThis.shifts;
  });
  return { sum: all.reduce((sum, [value]) => sum + value, 0), what: JSON.stringify(all) };
}

declare global {
  var shifts: [value: number, ...what: string[]][];
}

const watchShifts = () => {
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node?: Node }[] })[]) {
      const nodes = entry.sources.map(({ node }) => (node instanceof Element ? node.className : "") || node?.nodeName);
      globalThis.shifts.push([entry.value, ...nodes.map(String)]);
    }
  }).observe({ type: "layout-shift", buffered: true });
};

for (const place of places) {
  test(`${place.name} does not move while it loads @phone`, async ({ page, expected }) => {
    test.slow();
    expected.push(/status of 404 .*\/nowhere/);
    if (place.who) {
      await signIn(page, place.who === "colonel" ? colonel : ada);
    }
    await slowDown(page);
    await page.addInitScript(watchShifts);
    await page.goto(await place.path());
    await settle(page);
    await page.waitForLoadState("networkidle");
    const { sum, what } = await moved(page);
    expect(sum, what).toBeLessThan(most);
  });
}

/** The pages whose first words are the same for all visitors. */
const worded: Record<string, [title: Parameters<typeof t>[0], lead?: Parameters<typeof t>[0]]> = {
  share: ["share.title", "share.lead"],
  open: ["open.checking"],
  "open-endtoend": ["open.checking"],
  receipt: ["receipt.title", "receipt.lead"],
  about: ["about.title", "about.lead"],
  security: ["security.title", "security.lead"],
  signin: ["signin.title"],
  signup: ["signup.title", "signup.lead"],
  verify: ["verify.title", "verify.lead"],
  reset: ["reset.ask.title", "reset.ask.lead"],
  "reset-password": ["reset.title"],
  confirm: ["confirm.title", "confirm.lead"],
  feedback: ["feedback.title", "feedback.lead"],
  history: ["recent.title"],
  unknown: ["notfound.title"],
};

for (const [name, [title, lead]] of Object.entries(worded)) {
  test(`${name} has its first words without scripts`, async ({ page, expected }) => {
    expected.push(/ERR_FAILED/, /status of 404 .*\/nowhere/);
    await page.route("**/assets/*.js", (route) => route.abort());
    await page.goto(await (places.find((place) => place.name === name) as Place).path());
    const words = { name: "Hush" };
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(t(title, words));
    await expect(page.locator(".lead")).toHaveText(lead ? [t(lead, words)] : []);
    await expect(page.getByRole("banner")).toHaveText("Hush");
    await expectAccessible(page);
  });
}

test("the first words stay until the page is drawn, and are drawn in the same place @phone", async ({ page }) => {
  const hold = async (scripts: string) => {
    let arrive: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(scripts, async (route) => {
      await held;
      await route.continue();
    });
    return arrive;
  };
  const [client, about] = [await hold("**/assets/app-*.js"), await hold("**/assets/about-*.js")];
  await page.goto("/about", { waitUntil: "commit" });
  const title = page.getByRole("heading", { level: 1 });
  await expect(start(page).locator(title)).toBeVisible();
  const before = await title.boundingBox();
  client();
  await expect(page.getByRole("banner").getByRole("link", { name: t("app.share") })).toBeVisible();
  await expect(start(page)).toHaveCount(0);
  await expect(title).toHaveText(t("about.title", { name: "Hush" }));
  expect(await title.boundingBox(), "beside the client's header").toEqual(before);
  about();
  await expect(page.locator("section.card").first()).toBeVisible();
  await expect(page.locator(".skeleton")).toHaveCount(0);
  expect(await title.boundingBox()).toEqual(before);
});

test("in a German browser the first words are German, unless another language was chosen", async ({
  browser,
  page,
  expected,
  contextOptions,
}) => {
  expected.push(/ERR_FAILED/);
  const context = await browser.newContext({ ...contextOptions, locale: "de-AT" });
  const other = await context.newPage();
  await block(other);
  await other.goto("/about");
  await expect(other.getByRole("heading", { level: 1 })).toHaveText(filled(german("about.title"), { name: "Hush" }));
  await expect(other.locator("html")).toHaveAttribute("lang", "de");
  await context.close();

  await speak(page, "de");
  await block(page);
  await page.goto("/about");
  await expect(page.locator("html")).toHaveAttribute("data-elsewhere", "");
  await expect(page.locator("h1")).toBeHidden();
  await expect(start(page).locator(".skeleton")).toBeVisible();
});

test("the chosen theme is there before the client", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  await page.goto("/");
  await page.getByLabel(t("app.theme")).selectOption("dark");
  await block(page);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator("body")).toHaveCSS("color-scheme", "dark");
});

test("a client that does not come is missed at once, and a button loads the page again with its link", async ({
  page,
  expected,
}) => {
  expected.push(/ERR_FAILED/);
  await block(page);
  const link = `/s#${"0".repeat(31)}`;
  await page.goto(link);
  const again = button(page, t("app.reload"));
  await expect(again).toBeVisible();
  await expect(page.getByText("Still loading…")).toBeVisible();
  await page.unroute("**/assets/app-*.js");
  await again.click();
  await expect(page.getByRole("heading", { name: t("open.gone.title") })).toBeVisible();
  expect(page.url()).toContain(link);
  await expect(start(page)).toHaveCount(0);
});

/** saveData makes the browser say that the visitor saves data. */
const saveData = () => {
  Object.defineProperty(navigator, "connection", { value: { saveData: true, effectiveType: "4g" } });
};

/** scripts records the names of the scripts that a page loads. */
function scripts(page: Page): string[] {
  const all: string[] = [];
  page.on("request", (request) => {
    if (request.resourceType() === "script") {
      all.push(new URL(request.url()).pathname);
    }
  });
  return all;
}

const later = /\/(about|signin|receipt)-/;

test("the next pages are loaded when the browser is idle, and come without a line", async ({ page, context }) => {
  const loaded = scripts(page);
  await page.goto("/");
  for (const name of ["receipt", "about", "signin"]) {
    await expect.poll(() => loaded.some((path) => path.includes(`/${name}-`)), name).toBe(true);
  }
  await page.waitForLoadState("networkidle");
  await context.setOffline(true);
  await page.getByRole("link", { name: t("app.about") }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("about.title", { name: "Hush" }));
});

test("who saves data loads no next pages", async ({ page }) => {
  const loaded = scripts(page);
  await page.addInitScript(saveData);
  await page.goto("/");
  await expect(button(page, t("share.submit"))).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(loaded.filter((path) => later.test(path))).toEqual([]);
});

test("what is sent first lists none of the next pages", async ({ request }) => {
  expect(await (await request.get("/")).text()).not.toMatch(later);
});

test.describe("on a phone without scripts", () => {
  const { defaultBrowserType: _, ...phone } = devices["iPhone 13"] as (typeof devices)[string];
  test.use({ ...phone, javaScriptEnabled: false });

  test("nothing of it shows", async ({ page }) => {
    await page.goto("/about");
    await expect(start(page)).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  });
});
