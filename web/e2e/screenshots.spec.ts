/* Takes screenshots of every page, for `make screenshots`. */
import { button, expect, links, type Page, revealed, speak, test } from "./fixtures";
import { places, settle, visit } from "./pages";
import { conceal, reveal } from "./service";
import { tab } from "./shareform";
import { t } from "./texts";

const folder = new URL("../../.tmp/screenshots/", import.meta.url).pathname;

for (const place of places) {
  test(place.name, async ({ page, expected }, { project }) => {
    expected.push(/status of 404/);
    await visit(page, place);
    if (place.name === "account") await endPreparedSessions(page);
    await screenshot(page, place.name, project.name);
  });

  test(`${place.name} in other languages`, async ({ page, expected }, { project }) => {
    expected.push(/status of 404/);
    for (const name of ["de", "ja", "ar"]) {
      await speak(page, name);
      await visit(page, place);
      await screenshot(page, `${place.name}-${name}`, project.name);
    }
  });
}

test("what comes after a click", async ({ page, other, expected }, { project }) => {
  expected.push(/status of 404/);
  await page.goto("/");
  await tab(page, "generate").click();
  await expect(page.getByLabel(t("generate.result"))).toHaveText(/^\S+$/);
  await screenshot(page, "generate", project.name);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await screenshot(page, "result", project.name);
  await button(page, t("result.qr")).click();
  await screenshot(page, "result-qr", project.name);
  await other.setViewportSize(page.viewportSize() ?? { width: 1280, height: 800 });
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toBeVisible();
  await screenshot(other, "revealed", project.name);
});

test("a receipt of an opened secret", async ({ page }, { project }) => {
  const { key, receipt } = await conceal({ secret: "e2e secret" });
  await reveal(key);
  await page.goto(`/r#${receipt}`);
  await settle(page);
  await screenshot(page, "receipt-opened", project.name);
});

/** endPreparedSessions signs out what the tests' preparation signed in. */
async function endPreparedSessions(page: Page): Promise<void> {
  const prepared = page.getByRole("listitem").filter({ hasText: t("account.session.unknown") });
  for (let left = await prepared.count(); left > 0; left--) {
    await prepared.first().getByRole("button").click();
    await expect(prepared).toHaveCount(left - 1);
  }
}

/** screenshot takes a light and a dark screenshot. */
async function screenshot(page: Page, name: string, screen: string): Promise<void> {
  // The header offers more than sharing once the page knows who visits it.
  await expect(page.locator(".header-nav > :not(.header-share, dialog)").last()).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.screenshot({
      path: `${folder}${name}-${screen}-${colorScheme}.png`,
      fullPage: true,
      scale: "css",
      animations: "disabled",
      caret: "hide",
    });
  }
}
