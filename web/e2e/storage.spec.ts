import { ada, button, expect, heading, links, revealed, signIn, test } from "./fixtures";
import { unfold } from "./shareform";
import { stored } from "./stored";
import { german, t } from "./texts";

// An attacker uses the computer later, or runs a script in the page's origin, and
// looks for secrets, links and sessions in the browser's storage.
test("nothing secret is stored, and the session is out of reach of scripts", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret that is kept nowhere");
  await unfold(page, "more");
  await page.getByLabel(t("share.label")).fill("e2e label that is kept nowhere");
  await button(page, t("share.submit")).click();
  const { link, receipt } = await links(page);
  await page.getByLabel(t("app.language")).selectOption("de");
  await page.getByLabel(german("app.language")).selectOption("en");
  await page.getByLabel(t("app.theme")).selectOption("dark");

  const onLinks = await stored(page);
  await page.reload();
  await expect(page.getByRole("heading", { name: t("receipt.state.waiting") })).toBeVisible();
  const onReceipt = await stored(page);
  await page.goto(link);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toBeVisible();
  const onReveal = await stored(page);
  await button(page, t("open.clear")).click();
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();

  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name === "__Host-hush");
  expect(session).toMatchObject({ httpOnly: true, secure: true, sameSite: "Lax", path: "/" });
  for (const all of [onLinks, onReceipt, onReveal, await stored(page)]) {
    const { local, databases, caches, workers, cookie, session: short } = JSON.parse(all) as Record<string, object>;
    expect(local).toEqual({ "hush.locale": "en", "hush.theme": "dark", "hush.more": "1" });
    expect([short, databases, caches, workers, cookie]).toEqual([{}, [], [], [], ""]);
    for (const secret of ["kept nowhere", link.slice(-31), receipt.slice(-31), session?.value ?? ""]) {
      expect(all).not.toContain(secret);
    }
  }
});
