/*
 * The task canary: an end-to-end encrypted secret is shared and opened, and what
 * started the service searches its memory, log and files.
 */
import { environment } from "./environment";
import { button, expect, links, revealed, test } from "./fixtures";
import { fillPassphrase } from "./shareform";
import { t } from "./texts";

test("an end-to-end encrypted secret with a passphrase is shared and opened", async ({ page, other }) => {
  const { kit, canary } = environment();
  if (!canary) {
    throw new Error("the task canary needs a canary");
  }
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill(canary.text);
  await fillPassphrase(page, canary.passphrase);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  expect(new URL(link).pathname).toBe("/e");
  const told = await fetch(`${kit}/canary`, { method: "POST", body: link });
  expect(told.ok).toBe(true);

  await other.goto(link);
  await other.getByLabel(t("open.passphrase"), { exact: true }).fill(canary.passphrase);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText(canary.text);
});
