import { button, card, colonel, expect, links, revealed, signIn, test, unfoldReceipt } from "./fixtures";
import { hostile } from "./hostile";
import { conceal } from "./service";
import { fillPassphrase } from "./shareform";
import { t } from "./texts";

test("a secret and a passphrase are text", async ({ page, other }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill(`e2e secret ${hostile}`);
  await fillPassphrase(page, hostile);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await other.goto(link);
  await other.getByLabel(t("open.passphrase"), { exact: true }).fill(hostile);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText(`e2e secret ${hostile}`);
  await expect(revealed(other).locator("*")).toHaveCount(0);
});

test("a label is text", async ({ page }) => {
  const { receipt } = await conceal({ secret: "e2e secret" });
  await page.goto(`/r#${receipt}`);
  await unfoldReceipt(page, t("share.label"));
  await page.getByLabel(t("share.label")).fill(hostile);
  await button(page, t("receipt.save")).click();
  await expect(page.getByRole("status").filter({ hasText: t("receipt.memo.saved") })).toBeAttached();
  await page.reload();
  await expect(page.getByLabel(t("share.label"))).toHaveValue(hostile);
  await expect(card(page, t("receipt.facts"))).toBeVisible();
});

test("the content of an address is text", async ({ page, expected }) => {
  expected.push(/status of 404/);
  const words = encodeURIComponent(hostile);
  for (const path of [
    `/s#${words}`,
    `/secret/${words}`,
    `/r#${words}`,
    `/private/${words}`,
    `/${words}`,
    `/?x=${words}`,
    `/verify/${words}`,
    `/signin?next=${words}`,
  ]) {
    await page.goto("about:blank");
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
    await page.waitForLoadState("networkidle");
  }
  await page.goto("/signin?next=javascript:alert(1)");
  await page.goto("/signin?next=//elsewhere.example/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("feedback is text where it is read", async ({ page, other }) => {
  const words = `feedback ${crypto.randomUUID()}`;
  await page.goto("/feedback");
  await page.getByLabel(t("feedback.message")).fill(`${words} ${hostile}`);
  await button(page, t("feedback.submit")).click();
  await expect(page.getByRole("heading", { name: t("feedback.thanks"), level: 1 })).toBeVisible();

  await signIn(other, colonel);
  await other.goto("/colonel");
  await expect(other.getByText(words)).toContainText("<svg onload=alert(2)>");
});
