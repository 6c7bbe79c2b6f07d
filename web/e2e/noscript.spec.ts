import type { Browser } from "@playwright/test";
import { expect, expectAccessible, type Page, test, url } from "./fixtures";
import { conceal, kinds } from "./service";

/** expectPlainAccessible checks what the page shows with axe, which needs scripts: in a page that has some. */
async function expectPlainAccessible(browser: Browser, page: Page): Promise<void> {
  const others = /<script.*?<\/script>|<\/?noscript>|<div id="start".*<\/main><\/div>/gs; // hidden without scripts
  const html = (await page.content()).replace(others, "");
  const context = await browser.newContext({ javaScriptEnabled: true, viewport: page.viewportSize() });
  const other = await context.newPage();
  await other.route(page.url(), (route) => route.fulfill({ contentType: "text/html", body: html }));
  await other.goto(page.url());
  await expect(other.getByRole("heading", { level: 1 })).toBeVisible();
  await expectAccessible(other);
  await context.close();
}

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a link is opened by a form, once @check", async ({ page, expected }) => {
    expected.push(/status of 4\d\d .*\/secret\//);
    const { key, receipt } = await conceal({ secret: "e2e secret <b>without</b> scripts", passphrase: "open sesame" });
    await page.goto(`/secret/${key}`);
    expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
    const passphrase = page.locator("input[type=password]");
    await passphrase.fill("closed sesame");
    await page.getByRole("button").click();
    await expect(page.locator("body")).toContainText("4");
    await passphrase.fill("open sesame");
    await page.getByRole("button").click();
    await expect(page.locator("body")).toContainText("e2e secret <b>without</b> scripts");
    await page.goto(`/secret/${key}`);
    expect(await page.content()).not.toContain("without");
    expect(await kinds(receipt)).toContain("KIND_REVEALED");
  });

  test("the short link says how it is opened", async ({ page }) => {
    await page.goto("/s#x");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("JavaScript");
    await expect(page.getByRole("main")).toContainText("replace /s# with /secret/ in the address");
    await expect(page.getByRole("main")).toContainText("ask the sender for the link with /secret/ in it");
    await expect(page.locator("pre")).toHaveText("hush open");
    const { key, receipt } = await conceal({ secret: "e2e secret behind a short link" });
    await page.goto(`/s#${key}`);
    expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
    // What the page says to do does open it.
    await page.goto(page.url().replace("/s#", "/secret/"));
    await page.getByRole("button").click();
    await expect(page.locator("pre")).toHaveText("e2e secret behind a short link");
  });

  test("an end-to-end link says what opens it", async ({ page }) => {
    await page.goto("/e#x");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("JavaScript");
    await expect(page.locator("pre")).toHaveText("hush open");
  });

  // #app is as high as the window, and what the page says without scripts comes after it.
  test("every page begins on the first screen", async ({ page, browser }) => {
    for (const path of [
      "/",
      "/s",
      "/e",
      "/secret/a",
      "/r",
      "/private/a",
      "/signin",
      "/account",
      "/about",
      "/reset/a",
    ]) {
      await page.goto(path);
      const box = await page.getByRole("heading", { level: 1 }).boundingBox();
      expect(box?.y, `top of the heading of ${path}`).toBeLessThan(160);
      const wide = await page.locator("html").evaluate((html) => html.scrollWidth > html.clientWidth);
      expect(wide, `${path} is wider than the window`).toBe(false);
      await expectPlainAccessible(browser, page);
    }
  });

  test("a secret is shared by a form, and its links open without scripts @check", async ({
    page,
    browser,
    expected,
  }) => {
    expected.push(/status of 4\d\d/);
    const text = "e2e secret\n\n  of two <i>lines</i>";
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto("/");
    await page.getByRole("textbox", { name: "Your secret" }).fill(text);
    await page.getByRole("combobox").selectOption("3600");
    await page.getByRole("textbox", { name: "Passphrase" }).fill("open sesame");
    await page.getByRole("button").click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Your link is ready");
    expect(page.url()).toBe(`${url}/?`);
    expect(await page.content()).not.toMatch(/lines|sesame/);
    await page.waitForLoadState(); // without its styles the page is wider
    expect(await page.locator("html").evaluate((html) => html.scrollWidth > html.clientWidth)).toBe(false);
    await expectPlainAccessible(browser, page);
    const links = await page.locator(".link-text").allInnerTexts();
    expect(links[0]).toMatch(/\/s#[0-9a-z]{31}$/);
    await page.getByRole("link", { name: /\/private\// }).click();
    await page.getByRole("button").click();
    await expect(page.locator("dl")).toContainText("Not opened yet");
    await page.goto(links[1] ?? "");
    await page.locator("input[type=password]").fill("open sesame");
    await page.getByRole("button").click();
    expect(await page.locator("pre").evaluate((pre) => pre.textContent)).toBe(text);
  });

  test("what is refused is not kept", async ({ page, browser, expected }) => {
    expected.push(/status of 413/);
    await page.goto("/");
    // Nothing in the page stops a text of many bytes and fewer characters.
    await page.getByRole("textbox", { name: "Your secret" }).fill("é".repeat(60_000));
    await page.getByRole("button").click();
    await expect(page.getByRole("alert")).toContainText("This text is too long");
    await expect(page.getByRole("textbox", { name: "Your secret" })).toHaveValue("");
    await expectPlainAccessible(browser, page);
  });
});
