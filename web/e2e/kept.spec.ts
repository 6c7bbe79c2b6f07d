/* A draft outlives its page, and pages whose scripts do not come say so. */
import { button, expect, expectAccessible, heading, links, type Page, test } from "./fixtures";
import { choose, fillPassphrase, tab, text, unfold } from "./shareform";
import { stored } from "./stored";
import { t } from "./texts";

const field = (page: Page) => page.getByLabel(t("share.secret"));

/** follow follows a link of the header or the footer. */
async function follow(page: Page, within: "banner" | "contentinfo", key: Parameters<typeof t>[0]): Promise<void> {
  await page
    .getByRole(within)
    .getByRole("link", { name: t(key) })
    .click();
}

/** askedBy returns what the browser asks while fn runs. The fixture agrees to leave. */
async function askedBy(page: Page, fn: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const listen = (dialog: { type: () => string }) => void asked.push(dialog.type());
  page.on("dialog", listen);
  await fn();
  page.off("dialog", listen);
  return asked;
}

test("a draft is there again after another page, is nowhere stored, and a reload asks @check", async ({ page }) => {
  await page.goto("/");
  await field(page).fill("e2e draft of a secret");
  await fillPassphrase(page, "open sesame");
  await unfold(page, "more");
  await page.getByLabel(t("share.label")).fill("a label");
  await follow(page, "contentinfo", "app.about");
  await expect(heading(page, t("share.title"))).toHaveCount(0);
  expect(await stored(page)).not.toMatch(/draft of a secret|sesame|a label/);
  await follow(page, "banner", "app.share");
  await expect(field(page)).toHaveValue("e2e draft of a secret");
  await expect(page.getByRole("textbox", { name: t("share.passphrase") })).toHaveValue("open sesame");
  await expect(page.getByLabel(t("share.label"))).toHaveValue("a label");

  await follow(page, "contentinfo", "app.about");
  expect(await askedBy(page, () => page.reload()), "on another page").toEqual(["beforeunload"]);
  await follow(page, "banner", "app.share");
  await expect(field(page)).toHaveValue("");
  await field(page).fill("e2e draft that is sent");
  await button(page, t("share.submit")).click();
  await links(page);
  await button(page, t("result.copy")).click();
  await expect(button(page, t("result.copied"))).toBeVisible();
  await follow(page, "banner", "app.share");
  await expect(field(page)).toHaveValue("");
  expect(await askedBy(page, () => page.reload()), "an empty form").toEqual([]);
});

test("what is in another tab is there again after one was shared", async ({ page }) => {
  await page.goto("/");
  await field(page).fill("e2e secret that waits");
  await choose(page, text("a.txt", "e2e secret in a file"));
  await fillPassphrase(page, "open sesame");
  await button(page, t("share.submit")).click();
  await links(page);
  await button(page, t("result.copy")).click();
  await expect(button(page, t("result.copied"))).toBeVisible();
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await expect(field(page)).toHaveValue("e2e secret that waits");
  await unfold(page, "passphrase");
  await expect(page.getByRole("textbox", { name: t("share.passphrase") })).toHaveValue("");
  await tab(page, "file").click();
  await expect(button(page, t("file.choose"))).toBeVisible();
  expect(await askedBy(page, () => page.reload())).toEqual(["beforeunload"]);
});

test("a generated secret is the same after another page", async ({ page }) => {
  await page.goto("/");
  await tab(page, "generate").click();
  const result = page.getByLabel(t("generate.result"));
  await expect(result).toHaveText(/^\S{20}$/);
  const drawn = await result.innerText();
  await follow(page, "contentinfo", "app.about");
  await follow(page, "banner", "app.share");
  await expect(result).toHaveText(drawn);
  expect(await askedBy(page, () => page.reload())).toEqual([]);
});

test("a page that cannot be loaded without a line says so, keeps the draft and comes with the line", async ({
  page,
  context,
  expected,
}) => {
  expected.push(/ERR_INTERNET_DISCONNECTED|ERR_FAILED/);
  await page.goto("/");
  await field(page).fill("e2e draft without a line");
  await context.setOffline(true);
  await follow(page, "contentinfo", "app.feedback");
  await expect(heading(page, t("app.missing"))).toBeVisible();
  await expect(page.getByRole("alert")).toContainText(t("app.offline"));
  await expectAccessible(page);
  await follow(page, "banner", "app.share");
  await expect(field(page)).toHaveValue("e2e draft without a line");
  await follow(page, "contentinfo", "app.feedback");
  await context.setOffline(false);
  await expect(async () => {
    // It comes by itself, unless the line was not yet up when the page tried.
    const again = button(page, t("ui.retry"));
    if (await again.isVisible()) {
      await again.click({ timeout: 1_000 });
    }
    await expect(heading(page, t("feedback.title"))).toBeVisible({ timeout: 1_000 });
  }).toPass();
});

test("a page whose script does not come has words", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  await page.route("**/assets/app-*.js", (route) => route.abort());
  for (const path of ["/", "/s#x", "/about"]) {
    await page.goto(path);
    await expect(page.getByText("Still loading…")).toBeVisible();
    await expect(page.getByText("Loading this page shares and opens nothing.")).toBeVisible();
    await expectAccessible(page);
  }
  await page.unroute("**/assets/app-*.js");
  await page.goto("/");
  await expect(field(page)).toBeVisible();
  await expect(page.getByText("Still loading…")).toBeHidden();
});
