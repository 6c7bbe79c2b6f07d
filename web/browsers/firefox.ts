/* Firefox, over WebDriver BiDi. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type ElementHandle, type Page, type Browser as Process, TimeoutError } from "puppeteer-core";
import { type Browser, find, missing, patience, type Target, type Window } from "./window";

/** firefox starts Firefox when the first window opens, and once more for windows without JavaScript. */
export function firefox(program: string): Browser {
  const folder = mkdtempSync(join(tmpdir(), "hush-firefox-"));
  const started = new Map<boolean, Promise<Process>>();
  const start = (javaScript: boolean) => {
    const one = started.get(javaScript) ?? launch(program, folder, javaScript);
    started.set(javaScript, one);
    return one;
  };
  return {
    open: async ({ javaScript = true } = {}) => openWindow(await start(javaScript), folder),
    close: async () => {
      for (const one of started.values()) {
        await (await one).close();
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function launch(program: string, folder: string, javaScript: boolean): Promise<Process> {
  return puppeteer.launch({
    browser: "firefox",
    executablePath: program,
    headless: true,
    acceptInsecureCerts: true,
    env: { ...process.env, HOME: folder, LANG: "en_GB.UTF-8" },
    extraPrefsFirefox: {
      "javascript.enabled": javaScript,
      "browser.download.folderList": 2,
      "browser.download.dir": folder,
      "browser.download.useDownloadDir": true,
      "browser.download.always_ask_before_handling_new_types": false,
    },
  });
}

async function openWindow(browser: Process, downloads: string): Promise<Window> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage({ type: "window" }); // a tab behind another would count as hidden
  page.setDefaultTimeout(patience);
  await page.setViewport({ width: 1200, height: 900 });
  // A page with a draft asks before it is left, and the navigation waits for the answer.
  page.on("dialog", (dialog) => void dialog.accept());
  const faults: string[] = [];
  await watch(page, faults);
  const element = async (target: Target) => {
    const handle = (await page.evaluateHandle(find, target.kind, target.name)).asElement();
    if (!handle) {
      throw missing(target);
    }
    return handle as ElementHandle<Element>;
  };
  const withControl = async (key: "a" | "v") => {
    await page.keyboard.down("Control");
    await page.keyboard.press(key);
    await page.keyboard.up("Control");
  };
  return {
    goto: (url) => visit(page, url),
    reload: async () => void (await page.reload()),
    run: async <A extends string[], T>(call: (...args: A) => T, ...args: A) =>
      (await page.evaluate(call as (...args: string[]) => unknown, ...args)) as T,
    place: async (target) => JSON.stringify(await (await element(target)).boundingBox()),
    click: async (target) => {
      // Puppeteer's own click waits for a callback of the page, which never comes without JavaScript.
      const { x, y } = await (await element(target)).evaluate(middle);
      await page.mouse.click(x, y);
    },
    fill: async (target, text) => {
      const field = await element(target);
      await field.focus();
      await withControl("a");
      await field.type(text);
    },
    paste: () => withControl("v"),
    choose: async (target, path) => ((await element(target)) as ElementHandle<HTMLInputElement>).uploadFile(path),
    downloads,
    faults: async () => faults,
    close: () => context.close(),
  };
}

/**
 * visit opens an address. The first one of a window it opens again if that does not end: on a busy machine a
 * Firefox that has just started may lose its first navigation.
 */
async function visit(page: Page, url: string): Promise<void> {
  const isFirst = page.url() === "about:blank";
  try {
    await page.goto(url);
  } catch (error) {
    if (!isFirst || !(error instanceof TimeoutError)) {
      throw error;
    }
    await page.goto(url);
  }
}

/** middle returns the place to click an element at, in the page. */
function middle(element: Element): { x: number; y: number } {
  element.scrollIntoView({ behavior: "instant", block: "center" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const hit = document.elementFromPoint(x, y);
  if (!element.contains(hit)) {
    throw new Error(`${element.outerHTML}: got ${hit?.outerHTML} before it, want nothing`);
  }
  return { x, y };
}

/** watch records what must not happen in a page. */
async function watch(page: Page, faults: string[]): Promise<void> {
  page.on("pageerror", (error) => void faults.push(`error: ${error instanceof Error ? error.stack : error}`));
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) {
      faults.push(`console: ${message.text()}`);
    }
  });
  await page.evaluateOnNewDocument(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI} in ${event.sourceFile}`);
    });
  });
}
