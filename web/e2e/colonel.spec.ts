import { ada, button, card, colonel, expect, heading, signIn, test, url } from "./fixtures";
import { conceal, reveal } from "./service";
import { t } from "./texts";

test("a colonel sees the service's counters and burns a reported secret", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret that was reported" });
  await signIn(page, colonel);
  await page.goto("/colonel");
  await expect(heading(page, t("colonel.title"))).toBeVisible();
  await expect(card(page, t("colonel.accounts")).getByText(ada.address)).toBeVisible();
  await page.getByLabel(t("colonel.burn.link"), { exact: true }).fill(`${url}/s#${key}`);
  await button(page, t("colonel.burn.submit")).click();
  await button(page.getByRole("dialog"), t("burn.confirm")).click();
  await expect(card(page, t("colonel.burn.title")).getByText(t("colonel.burned"))).toBeVisible();
  await expect(reveal(key)).rejects.toThrow(/404/);
});

test("the colonel's page does not exist for others", async ({ page }) => {
  await page.goto("/colonel");
  await expect(heading(page, t("notfound.title"))).toBeVisible();
  await signIn(page, ada);
  await page.goto("/colonel");
  await expect(heading(page, t("notfound.title"))).toBeVisible();
});
