/*
 * What the browser's tests share. In every test the pages must stay quiet: no
 * error in the console, no violation of the content security policy, no dialog
 * of an injected script, no request to another host.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type BrowserContext, test as base, expect, type Locator, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";
import { brandedHost, environment, type Person } from "./environment";
import { t } from "./texts";

export type { Page };
export { expect };
export const { url, ada, colonel, failing } = environment();

interface Fixtures {
  /** What went wrong in the pages; must be empty at the end. */
  errors: string[];
  /** Messages that a test expects the browser to log. */
  expected: RegExp[];
  /** The page of another person, in a browser profile of its own. */
  other: Page;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's parts from the pattern.
  expected: async ({}, use) => use([]),
  errors: [
    async ({ expected }, use) => {
      const errors: string[] = [];
      await use(errors);
      const others = errors.filter((error) => !expected.some((e) => e.test(error)));
      expect(others, "errors of the pages").toEqual([]);
    },
    { auto: true },
  ],
  context: async ({ context, errors, baseURL }, use) => {
    await watch(context, errors, baseURL);
    await use(context);
  },
  other: async ({ browser, contextOptions, errors, baseURL }, use) => {
    const context = await browser.newContext(contextOptions);
    await watch(context, errors, baseURL);
    await use(await context.newPage());
    await context.close();
  },
});

/** watch records what must not happen in any page of a service. */
async function watch(context: BrowserContext, errors: string[], baseURL = url): Promise<void> {
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI} in ${event.sourceFile}`);
    });
  });
  context.on("weberror", (error) => void errors.push(`error: ${error.error().stack ?? error.error().message}`));
  context.on("dialog", (dialog) => {
    if (dialog.type() === "beforeunload") {
      void dialog.accept(); // the test leaves a page that would rather stay
      return;
    }
    errors.push(`window: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("console", (message) => {
    if (
      (message.type() === "error" || message.type() === "warning") &&
      !isRefusal(message.text(), message.location().url) &&
      !(failing && isLost(message.text()))
    ) {
      errors.push(`console: ${message.text()} (${message.location().url})`);
    }
  });
  context.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(baseURL).host && host !== brandedHost) {
      errors.push(`request to another host: ${request.url()}`);
    }
  });
}

/** isRefusal reports whether a message is about a refused RPC: browsers log every status of 400 and above. */
function isRefusal(text: string, source: string): boolean {
  return (
    text.startsWith("Failed to load resource: the server responded with a status of 4") && source.includes("/hush.v1.")
  );
}

/** isLost reports whether a message is about an answer that was lost with its node, or says that the store is away. */
function isLost(text: string): boolean {
  return /^Failed to load resource: (net::ERR_|the server responded with a status of 503)/.test(text);
}

/** bare is an empty page in the service's origin. */
async function bare(page: Page): Promise<void> {
  await page.route("**/bare", (route) => route.fulfill({ contentType: "text/html", body: "<title>x</title>" }));
  await page.goto("/bare");
}

/** copyLink copies the link of a new secret, and returns once it is copied: the page asks nothing when it is left then. */
export async function copyLink(page: Page): Promise<void> {
  await button(page, t("result.copy")).click();
  await expect(button(page, t("result.copied"))).toBeVisible();
}

/** speak chooses the language of the pages that are opened afterwards. */
export async function speak(page: Page, language: string): Promise<void> {
  await bare(page);
  await page.evaluate((language) => localStorage.setItem("hush.locale", language), language);
}

/** signIn starts a session without the sign-in page. */
export async function signIn(page: Page, { address, password }: Person): Promise<void> {
  await page.context().clearCookies();
  await bare(page);
  const answer = await page.evaluate(async (body) => {
    const answer = await fetch("/hush.v1.SessionService/CreateSession", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    return answer.status === 200 ? "signed in" : answer.text();
  }, JSON.stringify({ address, password }));
  expect(answer, "sign-in").toBe("signed in");
}

/** button finds the button with exactly this text. */
export function button(within: Page | Locator, name: string): Locator {
  return within.getByRole("button", { name, exact: true });
}

/** heading finds the page's main heading. */
export function heading(page: Page, name: string): Locator {
  return page.getByRole("heading", { name, exact: true, level: 1 });
}

/** card finds a card by its heading. */
export function card(page: Page, title: string): Locator {
  return page.locator("section").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
}

/** revealed finds the opened secret. */
export function revealed(page: Page): Locator {
  return page.getByRole("region", { name: t("open.secret"), exact: true });
}

/** The heading of a place where a secret was opened today. */
export const openedTitle = new RegExp(`^${t("opened.title", { time: "\\d?\\d:\\d\\d.*" })}$`);

/** clipboard returns what was copied. The service's own pages may not read it. */
export async function clipboard(page: Page): Promise<string> {
  const other = await page.context().newPage();
  await bare(other);
  await other.bringToFront();
  const text = await other.evaluate(() => navigator.clipboard.readText());
  await other.close();
  return text;
}

/** linkField finds the field with the link for the recipient. */
export function linkField(page: Page): Locator {
  return page.getByRole("textbox", { name: t("result.link"), exact: true });
}

/** unfoldReceipt shows a part of a receipt that is folded under its heading. */
export async function unfoldReceipt(page: Page, title: string): Promise<Locator> {
  const part = card(page, title).last();
  if ((await part.locator("details").getAttribute("open")) === null) {
    await part.locator("summary").click();
  }
  return part;
}

/** Links has the two links of a secret that was just shared. */
export interface Links {
  link: string;
  receipt: string;
}

/** links reads both links from the receipt that sharing leads to. */
export async function links(page: Page): Promise<Links> {
  await expect(heading(page, t("receipt.fresh.title"))).toBeVisible();
  const link = await linkField(page).inputValue();
  expect(link, "link").toMatch(/\/(s#[0-9a-z]{31}|e#[0-9a-zA-Z]{74})$/);
  const { pathname, hash } = new URL(page.url());
  expect(pathname + hash, "address of the receipt").toMatch(/^\/r#[0-9a-z]{31}$/);
  return { link, receipt: pathname + hash };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** expectAccessible checks the page with axe. */
export async function expectAccessible(page: Page): Promise<void> {
  // During a transition the colours are neither the old nor the new ones.
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(JSON.stringify)`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const { violations } = JSON.parse(found.result.value as string) as AxeResults;
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => ({
      id,
      help,
      at: nodes.map(({ target }) => target.join(" ")),
      why: nodes[0]?.failureSummary,
    }));
  expect(serious, `axe on ${page.url()}`).toEqual([]);
}

/** gate returns what a route waits for, and what lets it go on. */
export function gate(): { held: Promise<void>; go: () => void } {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { held, go };
}
