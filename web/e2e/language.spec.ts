import { button, expect, links, revealed, test } from "./fixtures";
import { german, t } from "./texts";

test.describe("in a German browser", () => {
  test.use({ locale: "de-AT" });

  test("the pages speak German @phone", async ({ page }) => {
    await page.goto("/");
    await expect(page.locator("html")).toHaveAttribute("lang", "de");
    await page.getByLabel(german("share.secret")).fill("e2e secret auf Deutsch");
    await button(page, german("share.submit")).click();
    const key = page.getByText(/\/e#[0-9a-zA-Z]{74}$/);
    await page.goto(await key.innerText());
    await button(page, german("open.reveal")).click();
    await expect(page.getByRole("region", { name: german("open.secret") })).toHaveText("e2e secret auf Deutsch");
    expect(german("open.reveal"), "the button in German").not.toBe(t("open.reveal"));
  });
});

test("what is typed has its own direction, and an empty field that of the page", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("app.language")).selectOption("ar");
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  const field = page.locator("textarea");
  await expect(field).toHaveCSS("direction", "rtl");
  await field.fill("a password");
  await expect(field).toHaveCSS("direction", "ltr");
  await field.fill("كلمة مرور");
  await expect(field).toHaveCSS("direction", "rtl");
});

test("the language is chosen, changes at once and is kept", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await page.getByLabel(t("share.secret")).fill("e2e secret of two languages");
  await page.getByLabel(t("app.language")).selectOption("de");
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
  await expect(page.getByLabel(german("share.secret"))).toHaveValue("e2e secret of two languages");
  await page.goto("/about");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(german("about.title").replace("{name}", "Hush"));
  await page.goto("/");
  await page.getByLabel(german("app.language")).selectOption("en");
  await page.getByLabel(t("share.secret")).fill("e2e secret of two languages");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await page.goto(link);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret of two languages");
});
