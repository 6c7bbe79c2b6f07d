/*
 * The kit of the browser's tests. Whatever a test does, its pages must stay
 * quiet: no error in the console, no violation of the content security policy,
 * no window of an injected script, no request to another host.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type BrowserContext, test as base, expect, type Locator, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";
import { brandedHost, environment, type Person } from "./environment";
import { t } from "./texts";

export type { Page };
export { expect };
export const { url, ada, colonel } = environment();

interface Kit {
  /** What went wrong in pages, to be empty at the end. */
  mistakes: string[];
  /** What a test expects to find in the console, as the browser's own notes. */
  expected: RegExp[];
  /** A page of somebody else's, in a browser profile of its own. */
  reader: Page;
}

export const test = base.extend<Kit>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of a fixture's parts from the pattern.
  expected: async ({}, use) => use([]),
  mistakes: [
    async ({ expected }, use) => {
      const mistakes: string[] = [];
      await use(mistakes);
      const others = mistakes.filter((mistake) => !expected.some((e) => e.test(mistake)));
      expect(others, "mistakes of the pages").toEqual([]);
    },
    { auto: true },
  ],
  context: async ({ context, mistakes }, use) => {
    await watch(context, mistakes);
    await use(context);
  },
  reader: async ({ browser, contextOptions, mistakes }, use) => {
    const context = await browser.newContext(contextOptions);
    await watch(context, mistakes);
    await use(await context.newPage());
    await context.close();
  },
});

/** watch notes what must not happen in any page. */
async function watch(context: BrowserContext, mistakes: string[]): Promise<void> {
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI} in ${event.sourceFile}`);
    });
  });
  context.on("weberror", (error) => void mistakes.push(`error: ${error.error().stack ?? error.error().message}`));
  context.on("dialog", (dialog) => {
    mistakes.push(`window: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("console", (message) => {
    if (
      (message.type() === "error" || message.type() === "warning") &&
      !isRefusal(message.text(), message.location().url)
    ) {
      mistakes.push(`console: ${message.text()} (${message.location().url})`);
    }
  });
  context.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(url).host && host !== brandedHost) {
      mistakes.push(`request to another host: ${request.url()}`);
    }
  });
}

/** Browsers write every answer of 400 and above into the console; RPCs answer so. */
function isRefusal(text: string, source: string): boolean {
  return (
    text.startsWith("Failed to load resource: the server responded with a status of 4") && source.includes("/hush.v1.")
  );
}

/** bare is a page of the service's origin without anything of the service in it. */
async function bare(page: Page): Promise<void> {
  await page.route("**/bare", (route) => route.fulfill({ contentType: "text/html", body: "<title>x</title>" }));
  await page.goto("/bare");
}

/** signIn begins a session, past the page for it. */
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

/** button is the button with just these words. */
export function button(within: Page | Locator, name: string): Locator {
  return within.getByRole("button", { name, exact: true });
}

/** heading is the page's heading. */
export function heading(page: Page, name: string): Locator {
  return page.getByRole("heading", { name, exact: true, level: 1 });
}

/** card is a part of a page, found by its heading. */
export function card(page: Page, title: string): Locator {
  return page.locator("section").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
}

/** revealed is where an opened secret stands. */
export function revealed(page: Page): Locator {
  return page.getByRole("region", { name: t("open.secret"), exact: true });
}

/** clipboard is what was copied. The service's own pages may not read it. */
export async function clipboard(page: Page): Promise<string> {
  const other = await page.context().newPage();
  await bare(other);
  await other.bringToFront();
  const text = await other.evaluate(() => navigator.clipboard.readText());
  await other.close();
  return text;
}

/** Links are those of the page after sharing. */
export interface Links {
  link: string;
  receipt: string;
}

/** links reads both from the page after sharing. */
export async function links(page: Page): Promise<Links> {
  await expect(heading(page, t("result.title"))).toBeVisible();
  const link = await card(page, t("result.link"))
    .getByText(/\/s#[0-9a-z]{31}$/)
    .innerText();
  const receipt = await page.getByRole("link", { name: t("result.receipt.open") }).getAttribute("href");
  return { link, receipt: receipt ?? "" };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** expectAccessible lets axe look at the page as it is. */
export async function expectAccessible(page: Page): Promise<void> {
  // Colours on their way from one to another are neither.
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
