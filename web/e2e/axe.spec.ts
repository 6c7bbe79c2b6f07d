import { button, expect, expectAccessible, heading, links, revealed, test } from "./fixtures";
import { places, settle, visit } from "./pages";
import { conceal } from "./service";
import { tab, unfold } from "./shareform";
import { t } from "./texts";

for (const place of places) {
  test(`${place.name} is accessible, light and dark @phone`, async ({ page, expected }) => {
    if (place.name === "unknown") {
      expected.push(/status of 404 .*\/nowhere/);
    }
    await visit(page, place);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
  });
}

test("what comes after a click is accessible", async ({ page, other }) => {
  await page.goto("/");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
  await unfold(page, "passphrase");
  await unfold(page, "more");
  await expectAccessible(page);
  await tab(page, "file").click();
  await expectAccessible(page);
  await tab(page, "generate").click();
  await expect(page.getByLabel(t("generate.result"))).toHaveText(/^\S+$/);
  await expectAccessible(page);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expectAccessible(page);
  await button(page, t("result.send")).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await button(page, t("result.qr")).click();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await button(page, t("receipt.burn")).click();
  await expectAccessible(page);

  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toBeVisible();
  await expectAccessible(other);
  await button(other, t("open.clear")).click();
  await expect(heading(other, t("open.cleared.title"))).toBeVisible();
  await expectAccessible(other);
});

test("a refused passphrase is accessible", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret", passphrase: "open sesame" });
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await settle(page);
  await expectAccessible(page);
});
