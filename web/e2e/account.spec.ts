import type { Page } from "@playwright/test";
import { ada, button, clipboard, expect, heading, links, revealed, signIn, test, url } from "./fixtures";
import { linkIn, mailTo, rpc } from "./service";
import { unfold } from "./shareform";
import { t } from "./texts";

const password = "seven slow otters";

/** newcomer returns an address without an account. */
function newcomer(): string {
  return `e2e-${crypto.randomUUID().slice(0, 8)}@newcomers-team.com`;
}

/** signUp fills in the sign-up page, and returns once the mail is sent. */
async function signUp(page: Page, address: string): Promise<void> {
  await page.goto("/signup");
  await page.getByLabel(t("address.label"), { exact: true }).fill(address);
  await expect(page.locator("input[type=password]")).toHaveCount(0); // the page of the mailed link asks for it
  await button(page, t("signup.submit")).click();
  await expect(heading(page, t("signup.mail.title"))).toBeVisible();
}

/** confirm opens the mailed link, sets the password and confirms the address. */
async function confirm(page: Page, address: string): Promise<void> {
  await page.goto(linkIn(await mailTo(address, "/verify/")));
  await page.getByLabel(t("password.label"), { exact: true }).fill(password);
  await button(page, t("verify.submit")).click();
  await expect(heading(page, t("verify.done.title"))).toBeVisible();
}

/** enter signs in on the sign-in page. */
async function enter(page: Page, address: string, word = password): Promise<void> {
  await page.getByLabel(t("address.label"), { exact: true }).fill(address);
  await page.getByLabel(t("password.label"), { exact: true }).fill(word);
  await page.keyboard.press("Enter");
}

test("a visitor signs up, confirms by mail, signs in and shares by mail @phone @check", async ({ page, other }) => {
  const address = newcomer();
  await signUp(page, address);
  await page.goto(linkIn(await mailTo(address, "/verify/")));
  await button(page, t("verify.submit")).click(); // confirms nothing without a password
  await expect(page.getByRole("alert")).toContainText(t("password.short"));
  await confirm(page, address);

  await page.goto("/recent");
  await page
    .getByRole("main")
    .getByRole("link", { name: t("app.signin") })
    .click();
  await expect(heading(page, t("signin.title"))).toBeVisible();
  await enter(page, address, "seven fast otters");
  await expect(page.getByRole("alert")).toContainText(t("problem.credentials"));
  await enter(page, address);
  await expect(heading(page, t("recent.title"))).toBeVisible();
  await expect(page.getByText(t("recent.empty"))).toBeVisible();

  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret by mail");
  const friend = newcomer();
  await unfold(page, "more");
  await button(page, t("share.recipient.server")).click();
  await page.getByLabel(t("share.recipient")).fill(friend);
  await button(page, t("share.submit")).click();
  await links(page);
  await other.goto(linkIn(await mailTo(friend, "/s")));
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret by mail");

  await page.goto("/recent");
  await expect(page.getByText(t("recent.state.received"), { exact: true }).last()).toBeVisible();
  await page.getByRole("button", { name: t("app.account_menu") }).click();
  await page.getByRole("menuitem", { name: t("app.signout") }).click();
  await expect(page.getByRole("banner").getByRole("link", { name: t("app.signin") })).toBeVisible();
  await page.goto("/recent");
  await expect(page.getByText(t("history.off"))).toBeVisible();
  await page.goto("/account");
  await expect(heading(page, t("signin.title"))).toBeVisible();
});

test("a token is shown once, works, and is revoked @check", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/account/tokens");
  const name = `e2e ${crypto.randomUUID().slice(0, 8)}`;
  await page.getByLabel(t("tokens.name"), { exact: true }).fill(name);
  const scopes = page.getByRole("group", { name: t("tokens.scopes") });
  await expect(scopes).toHaveAccessibleDescription(t("tokens.scopes.lead"));
  await expect(scopes.getByRole("checkbox", { checked: true })).toHaveAccessibleName(t("tokens.scope.conceal"));
  await scopes.getByRole("checkbox", { name: t("tokens.scope.account") }).check();
  await button(page, t("tokens.submit")).click();
  const shown = page.getByLabel(t("tokens.shown.label"), { exact: true });
  const token = await shown.inputValue();
  await page
    .locator(".card-keep")
    .getByRole("button", { name: t("ui.copy") })
    .click();
  expect(await clipboard(page)).toBe(token);
  const { account } = await rpc<{ account: { address: string } }>(
    "AccountService/GetAccount",
    {},
    { Authorization: `Bearer ${token}` },
  );
  expect(account.address).toBe(ada.address);

  await button(page, t("tokens.shown.done")).click();
  await expect(shown).toBeHidden();
  expect(await page.content()).not.toContain(token);
  await page.getByRole("button", { name: t("tokens.revoke.named", { name }) }).click();
  await button(page.getByRole("dialog"), t("tokens.revoke")).click();
  await expect(page.getByRole("status").filter({ hasText: t("tokens.revoked") })).toBeAttached();
  await expect(rpc("AccountService/GetAccount", {}, { Authorization: `Bearer ${token}` })).rejects.toThrow(/401/);
});

test("a forgotten password is replaced", async ({ page }) => {
  const address = newcomer();
  await signUp(page, address);
  await confirm(page, address);
  await page.goto("/reset");
  await page.getByLabel(t("address.label"), { exact: true }).fill(address);
  await button(page, t("reset.ask.submit")).click();
  await expect(heading(page, t("reset.ask.done.title"))).toBeVisible();
  await page.goto(linkIn(await mailTo(address, "/reset/")));
  await page.locator("input[autocomplete=new-password]").fill("eight quick otters");
  await button(page, t("reset.submit")).click();
  await expect(heading(page, t("reset.done.title"))).toBeVisible();
  await page.goto("/signin");
  await enter(page, address);
  await expect(page.getByRole("alert")).toContainText(t("problem.credentials"));
  await enter(page, address, "eight quick otters");
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("who cannot be signed out stays signed in, and is told", async ({ page, expected }) => {
  expected.push(/ERR_INTERNET_DISCONNECTED/);
  await signIn(page, ada);
  await page.goto("/about");
  const menu = page.getByRole("banner").getByRole("button");
  const leave = async () => {
    await menu.click();
    await page.getByRole("menuitem", { name: t("app.signout") }).click();
  };
  await expect(menu).toBeVisible();
  await page.context().setOffline(true);
  await leave();
  await expect(page.getByRole("dialog")).toContainText(t("problem.offline"));
  await page.context().setOffline(false);
  await button(page.getByRole("dialog"), t("ui.close")).click();
  await page.reload();
  await leave();
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: t("app.signin") })).toBeVisible();
});

test("the list of sessions names browsers and systems, and ends sessions", async ({ page, other }) => {
  const address = newcomer();
  await signUp(page, address);
  await confirm(page, address);
  await signIn(page, { address, password });
  await signIn(other, { address, password });
  await page.goto("/account");
  const device = t("account.session.device", { browser: "Chrome", system: "Linux" });
  const sessions = page.getByRole("listitem").filter({ hasText: device });
  await expect(sessions.filter({ hasText: t("account.session.current") })).toHaveCount(1);
  await sessions.getByRole("button").click();
  await expect(sessions).toHaveCount(1);
  await other.goto("/account");
  await expect(heading(other, t("signin.title"))).toBeVisible();
});

// An attacker asks to change to another person's address. The link works only
// for the account that asked: no other account gets the address or uses up the link.
test("a new address is confirmed by the account that asked", async ({ page, other }) => {
  const [address, next] = [newcomer(), newcomer()];
  await signUp(page, address);
  await confirm(page, address);
  await signIn(page, { address, password });
  await page.goto("/account");
  await page.getByText(t("account.address_change"), { exact: true }).click();
  const form = page.locator("form").filter({ has: button(page, t("account.address_change.submit")) });
  await form.getByLabel(t("account.address_change.label"), { exact: true }).fill(next);
  await form.getByLabel(t("password.label"), { exact: true }).fill(password);
  await button(form, t("account.address_change.submit")).click();
  const link = linkIn(await mailTo(next, "/confirm/"));

  await signIn(other, ada);
  await other.goto(link);
  await button(other, t("confirm.submit")).click();
  await expect(other.getByText(t("confirm.wrong_account"))).toBeVisible();
  await other.context().clearCookies();
  await other.goto(link);
  await expect(other.getByText(t("confirm.signin"))).toBeVisible();
  await enter(other, address);
  await button(other, t("confirm.submit")).click();
  await expect(heading(other, t("confirm.done.title"))).toBeVisible();
  await signIn(page, { address: next, password });
});

// An attacker sends a link to the sign-in page that leads to another site
// afterwards, which looks the same and asks for the password again.
test("signing in leads only to pages of the service", async ({ page }) => {
  for (const next of [
    "//elsewhere.example/",
    "https://elsewhere.example/",
    "javascript:alert(1)",
    "/\\elsewhere.example",
  ]) {
    await page.context().clearCookies();
    await page.goto(`/signin?next=${encodeURIComponent(next)}`);
    await enter(page, ada.address, ada.password);
    await expect(heading(page, t("share.title"))).toBeVisible();
    expect(page.url()).toBe(`${url}/`);
  }
});

test("an account is exported and deleted", async ({ page }) => {
  const address = newcomer();
  await signUp(page, address);
  await confirm(page, address);
  await signIn(page, { address, password });
  await page.goto("/account");
  const saving = page.waitForEvent("download");
  await button(page, t("account.export")).click();
  const saved = (await (await (await saving).createReadStream()).toArray()).join("");
  expect(saved).toContain(address);
  expect(() => JSON.parse(saved) as unknown).not.toThrow();

  await button(page, t("account.destroy")).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("account.destroy.password"), { exact: true }).fill(password);
  await button(dialog, t("account.destroy.submit")).click();
  await expect(heading(page, t("account.destroyed.title"))).toBeVisible();
  await page.goto("/signin");
  await enter(page, address);
  await expect(page.getByRole("alert")).toContainText(t("problem.credentials"));
});
