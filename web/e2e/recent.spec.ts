import { ada, button, copyLink, expect, links, revealed, signIn, test } from "./fixtures";
import { settle } from "./pages";
import { unfold } from "./shareform";
import { t } from "./texts";

test("the list counts, filters without a call, and shows by itself what was opened @phone", async ({ page, other }) => {
  await signIn(page, ada);
  const label = `live ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret of a live list");
  await unfold(page, "more");
  await page.getByLabel(t("share.label")).fill(label);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await copyLink(page); // or leaving the page would ask first
  await page.goto("/recent");
  await settle(page);
  const filters = page.getByRole("group", { name: t("recent.filter"), exact: true });
  const search = page.getByLabel(t("recent.search"));
  const row = page.getByRole("listitem").filter({ hasText: label });
  await search.fill(label);
  await expect(row.getByText(t("recent.state.waiting"), { exact: true })).toBeVisible();
  await expect(
    filters.getByRole("radio", { name: new RegExp(`^${t("recent.filter.all")} ?[0-9]+\\+?$`) }),
  ).toBeChecked();
  const [tools, last] = [await page.locator(".recent-tools").boundingBox(), await search.boundingBox()];
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo((tools?.x ?? 0) + (tools?.width ?? 0), 0);
  expect(await page.locator(".recent-tools .segmented-options").evaluate((row) => row.clientHeight)).toBeLessThan(64);

  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret of a live list");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // as if it had been hidden
  await expect(row.getByText(t("recent.state.received"), { exact: true })).toBeVisible();
});
