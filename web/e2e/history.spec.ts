import type { Page } from "@playwright/test";
import { ada, button, copyLink, expect, expectAccessible, heading, links, signIn, test } from "./fixtures";
import { conceal, reveal } from "./service";
import { stored } from "./stored";
import { t } from "./texts";

/** history returns what the browser stores of the history. */
async function history(page: Page): Promise<[string, number][] | undefined> {
  const { local } = JSON.parse(await stored(page)) as { local: Record<string, string> };
  return local["hush.history"] === undefined ? undefined : JSON.parse(local["hush.history"]);
}

/** shareHere shares a text on the share page and returns its links. */
async function shareHere(page: Page, text: string): Promise<{ link: string; receipt: string }> {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill(text);
  await button(page, t("share.submit")).click();
  const made = await links(page);
  await copyLink(page); // or leaving the page would ask first
  return made;
}

test("a device without an account remembers receipts if asked to, and forgets them at once @phone", async ({
  page,
}) => {
  await shareHere(page, "e2e secret before the history");
  expect(await history(page)).toBeUndefined();
  const header = page.getByRole("banner").getByRole("link", { name: t("app.recent") });
  await expect(header).toHaveCount(0);

  await page.goto("/recent");
  await expect(page.getByText(t("history.off"))).toBeVisible();
  await expect(page.getByText(t("history.risk"))).toBeVisible();
  await expectAccessible(page);
  await button(page, t("history.turn_on")).click();
  await expect(page.getByText(t("history.empty"))).toBeVisible();
  expect(await history(page)).toEqual([]);

  const { link, receipt } = await shareHere(page, "e2e secret in the history");
  const key = receipt.slice(-31);
  const kept = await history(page);
  expect(kept).toEqual([[key, expect.any(Number)]]);
  const all = await stored(page);
  for (const secret of [link.slice(-74), link.slice(-43), link.split("#")[1] ?? "", "in the history"]) {
    expect(all).not.toContain(secret);
  }

  await header.click();
  const row = page
    .getByRole("main")
    .getByRole("listitem")
    .filter({ hasText: t("recent.state.waiting") });
  await expect(row).toHaveCount(1);
  await expect(row.getByRole("link")).toHaveAttribute("href", `/r#${key}`);
  await expectAccessible(page);
  await row.getByRole("button", { name: t("recent.burn") }).click();
  await button(page.getByRole("dialog"), t("burn.confirm")).click();
  await expect(page.getByText(t("recent.state.burned"), { exact: true })).toBeVisible();

  await button(page, t("history.forget")).click();
  await button(page.getByRole("dialog"), t("history.forget")).click();
  await expect(page.getByText(t("history.off"))).toBeVisible();
  await expect(header).toHaveCount(0);
  expect(await history(page)).toBeUndefined();
  await shareHere(page, "e2e secret after the history");
  expect(await history(page)).toBeUndefined();
});

test("the history shows what another tab shared", async ({ page, context }) => {
  await page.goto("/recent");
  await button(page, t("history.turn_on")).click();
  await expect(page.getByText(t("history.empty"))).toBeVisible();
  await page
    .getByRole("banner")
    .getByRole("link", { name: t("app.share") })
    .click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  await shareHere(await context.newPage(), "e2e secret of another tab");
  await page
    .getByRole("banner")
    .getByRole("link", { name: t("app.recent") })
    .click();
  await expect(page.getByText(t("recent.state.waiting"), { exact: true })).toHaveCount(1);
});

test("receipts that expired or are gone leave the history", async ({ page }) => {
  const { receipt, key } = await conceal({ secret: "e2e secret of the past" });
  await page.goto("/about");
  await page.evaluate(
    ([kept, unknown]) =>
      localStorage.setItem(
        "hush.history",
        JSON.stringify([
          [kept, Date.now() + 60_000],
          [unknown, Date.now() + 60_000],
          ["0".repeat(31), 1],
          "nonsense",
          [7],
        ]),
      ),
    [receipt, "1".repeat(31)],
  );
  await page.goto("/recent");
  await expect(page.getByText(t("recent.state.waiting"), { exact: true })).toHaveCount(1);
  await expect.poll(async () => (await history(page))?.map(([kept]) => kept)).toEqual([receipt]);
  expect(await reveal(key)).toBe("e2e secret of the past");
});

test("an account's secrets are one click away, and leave no history on the device", async ({ page }) => {
  await page.goto("/recent");
  await button(page, t("history.turn_on")).click();
  await page
    .getByRole("main")
    .getByRole("link", { name: t("app.signin") })
    .click();
  await expect(heading(page, t("signin.title"))).toBeVisible();
  await signIn(page, ada);
  await shareHere(page, "e2e secret of an account");
  expect(await history(page)).toEqual([]);
  await page
    .getByRole("banner")
    .getByRole("link", { name: t("app.recent") })
    .click();
  await expect(heading(page, t("recent.title"))).toBeVisible();
  await expect(page.getByLabel(t("recent.search"))).toBeVisible();
});

test("a receipt is remembered from its own page, which turns the history on, and off again @phone", async ({
  page,
}) => {
  const { receipt } = await shareHere(page, "e2e secret to find again");
  const choice = page.getByLabel(t("receipt.remember"));
  await expect(choice).not.toBeChecked();
  await choice.check();
  expect(await history(page)).toEqual([[receipt.slice(-31), expect.any(Number)]]);
  await expectAccessible(page);
  await page.reload();
  await expect(choice).toBeChecked();
  await choice.uncheck();
  expect(await history(page)).toEqual([]); // another page turned it on
  await choice.check();
  await page.goto("/recent");
  await expect(page.getByText(t("recent.state.waiting"), { exact: true })).toHaveCount(1);

  await signIn(page, ada);
  await page.goto(receipt);
  await expect(heading(page, t("receipt.title"))).toBeVisible();
  await expect(choice).toHaveCount(0);
});
