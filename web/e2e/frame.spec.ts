import { ada, button, expect, signIn, test } from "./fixtures";
import { settle } from "./pages";
import { t } from "./texts";

test("the frame of a page names the page that is shown, and offers no way to where one is", async ({ page }) => {
  await page.goto("/");
  await settle(page);
  const header = page.getByRole("banner");
  const footer = page.getByRole("navigation", { name: t("app.footer") });
  await expect(header.getByRole("link", { name: t("app.share"), exact: true })).toHaveCount(0);
  await expect(page.locator("a[aria-current]")).toHaveCount(0);
  await footer.getByRole("link", { name: t("app.about") }).click();
  await expect(page.locator("a[aria-current=page]")).toHaveText([t("app.about")]);
  await header.getByRole("link", { name: t("app.signin") }).click();
  await expect(page.locator("a[aria-current=page]")).toHaveText([t("app.signin")]);
  await header.getByRole("link", { name: t("app.share"), exact: true }).click();
  await expect(page).toHaveURL(/\/$/);
});

for (const path of ["/signin", "/signup", "/reset", "/feedback"]) {
  test(`the form of ${path} is short: narrow, centred, with a button as wide as its fields`, async ({ page }) => {
    await page.goto(path);
    await settle(page);
    const card = await page.locator(".card").first().boundingBox();
    const send = await page.locator(".card button[type=submit]").boundingBox();
    const field = await page.locator(".card .input").first().boundingBox();
    const main = await page.locator("#main").boundingBox();
    expect(card?.width).toBeLessThanOrEqual(32 * 16);
    expect((card?.x ?? 0) + (card?.width ?? 0) / 2).toBeCloseTo((main?.x ?? 0) + (main?.width ?? 0) / 2, -1);
    expect(send?.width).toBeCloseTo(field?.width ?? 0, 0);
  });
}

test("the form to sign in says on request how long one stays signed in, and names its eye", async ({ page }) => {
  await page.goto("/signin");
  const hint = page.getByText(t("signin.remember.hint"));
  await expect(hint).toBeHidden();
  await page.getByText(t("signin.remember.how")).click();
  await expect(hint).toBeVisible();
  const eye = button(page, t("ui.show.password"));
  await expect(eye).toHaveAttribute("aria-pressed", "false");
  await eye.click();
  await expect(eye).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByLabel(t("password.label"), { exact: true })).toHaveAttribute("type", "text");
});

test("the pages of an account lead to each other from the same place @phone", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/account");
  const places = page.getByRole("navigation", { name: t("app.account_menu"), exact: true });
  const current = places.locator("[aria-current]");
  await expect(current).toHaveText(t("app.account"));
  const left = (await places.boundingBox())?.x;
  for (const name of ["app.requests", "app.tokens", "app.domains"] as const) {
    await places.getByRole("link", { name: t(name) }).click();
    await expect(current).toHaveText(t(name));
    await settle(page);
    expect((await places.boundingBox())?.x).toBe(left);
  }
  await page.goto("/account/domains/secrets.ada-team.com");
  await expect(current).toHaveText(t("app.domains"));
  await expect(current).toHaveAttribute("aria-current", "true");
});
