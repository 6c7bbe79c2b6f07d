import { ask } from "./asked";
import { ada, button, card, colonel, expect, heading, signIn, test, url } from "./fixtures";
import { conceal, linkIn, mailTo, reveal } from "./service";
import { t } from "./texts";

test("a colonel sees the service's counters and burns a reported secret @check", async ({ page }) => {
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

test("a colonel closes a reported request", async ({ page }) => {
  const request = await ask();
  await request.answer("e2e secret");
  await signIn(page, colonel);
  await page.goto("/colonel");
  await page.getByLabel(t("colonel.burn.link"), { exact: true }).fill(`${url}${request.requestPlace}`);
  await button(page, t("colonel.burn.submit")).click();
  await button(page.getByRole("dialog"), t("colonel.withdraw.action")).click();
  const told = card(page, t("colonel.burn.title"));
  await expect(told.getByText(t("colonel.withdrawn", { count: "1" }))).toBeVisible();
  await expect(request.answer("e2e secret")).rejects.toThrow(/request_ended|REQUEST_ENDED|40/);
});

test("an administrator creates and revokes invitations", async ({ page }) => {
  await signIn(page, colonel);
  await page.goto("/colonel");
  const invites = card(page, t("colonel.invites"));
  const guest = `guest-${crypto.randomUUID().slice(0, 8)}@example.com`;
  await invites.getByLabel(t("colonel.invite.address"), { exact: true }).fill("no address");
  await button(invites, t("colonel.invite.submit")).click();
  await expect(invites.getByText(t("address.bad"))).toBeVisible();
  await invites.getByLabel(t("colonel.invite.address"), { exact: true }).fill(guest);
  await button(invites, t("colonel.invite.submit")).click();
  const link = await invites.getByLabel(t("colonel.invite.link"), { exact: true }).inputValue();
  expect(link).toMatch(/\/signup\/[0-9a-z]{31}$/);
  expect(linkIn(await mailTo(guest, "/signup/"))).toBe(new URL(link).pathname);
  await button(page, t("colonel.refresh")).click();
  await expect(invites.getByRole("listitem").filter({ hasText: guest })).toBeVisible();
  await expect(invites.getByLabel(t("colonel.invite.link"), { exact: true })).toHaveValue(link);
  await button(invites, t("colonel.invite.done")).click();
  const entry = invites.getByRole("listitem").filter({ hasText: guest });
  await expect(entry).toContainText(colonel.address);
  await entry.getByRole("button", { name: t("colonel.invite.revoke.named", { whom: guest }) }).click();
  await button(page.getByRole("dialog"), t("colonel.invite.revoke")).click();
  await expect(entry).toBeHidden();
  await page.reload();
  await expect(button(invites, t("colonel.invite.submit"))).toBeVisible();
  await expect(invites.getByText(guest)).toBeHidden();
});

test("an administrator reads what is free on the disk, and that it is full @check", async ({ page }) => {
  let full = false;
  await page.route("**/hush.v1.ColonelService/GetIndex", async (route) => {
    const response = await route.fetch();
    const index = await response.json();
    // A database on a server tells nothing of its disk.
    await route.fulfill({
      response,
      json: { ...index, store: { ...index.store, freeBytes: index.store.freeBytes ?? "5000000000", diskFull: full } },
    });
  });
  await signIn(page, colonel);
  await page.goto("/colonel");
  const store = card(page, t("colonel.store"));
  await expect(store.getByText(t("colonel.store.free"))).toBeVisible();
  await expect(store.getByText(t("colonel.store.full"))).toBeHidden();
  full = true;
  await button(page, t("colonel.refresh")).click();
  await expect(store.getByText(t("colonel.store.full"))).toBeVisible();
});

test("where no one can sign up, there are no invitations", async ({ page }) => {
  await page.route("**/hush.v1.SystemService/GetPolicy", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), signUp: "SIGN_UP_CLOSED" } });
  });
  await signIn(page, colonel);
  await page.goto("/colonel");
  await expect(card(page, t("colonel.find"))).toBeVisible();
  await expect(card(page, t("colonel.invites"))).toHaveCount(0);
});

test("an administrator changes an account with their own password", async ({ page }) => {
  const address = `e2e-${crypto.randomUUID().slice(0, 8)}@newcomers-team.com`;
  await page.goto("/signup");
  await page.getByLabel(t("address.label"), { exact: true }).fill(address);
  await button(page, t("signup.submit")).click();
  await expect(heading(page, t("signup.mail.title"))).toBeVisible();
  await signIn(page, colonel);
  await page.goto("/colonel");
  const found = card(page, t("colonel.find"));
  const name = found.getByLabel(t("colonel.find.name"), { exact: true });
  const dialog = page.getByRole("dialog");
  await name.fill(`no-${address}`);
  await button(found, t("colonel.find.submit")).click();
  await expect(found.getByText(t("colonel.find.none"))).toBeVisible();
  await name.fill(address);
  await button(found, t("colonel.find.submit")).click();
  await expect(found.getByText(t("colonel.account.unverified"), { exact: true })).toBeVisible();

  await button(found, t("colonel.change.disable")).click();
  await expect(dialog.getByLabel(t("colonel.change.password"), { exact: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(button(found, t("ui.cancel"))).toHaveCount(0); // it has faded
  await expect(button(found, t("colonel.change.disable"))).toBeFocused();
  await button(found, t("colonel.change.disable")).click();
  await dialog.getByLabel(t("colonel.change.password"), { exact: true }).fill("not the password");
  await button(dialog, t("colonel.change.disable")).click();
  await expect(dialog.getByText(t("password.wrong"))).toBeVisible();
  await dialog.getByLabel(t("colonel.change.password"), { exact: true }).fill(colonel.password);
  await button(dialog, t("colonel.change.disable")).click();
  await expect(found.getByText(t("colonel.change.disable.done", { address }))).toBeVisible();
  await expect(found.getByText(t("colonel.account.disabled"), { exact: true })).toBeVisible();

  await button(found, t("colonel.change.destroy")).click();
  await dialog.getByLabel(t("colonel.change.password"), { exact: true }).fill(colonel.password);
  await button(dialog, t("colonel.change.destroy")).click();
  await expect(found.getByText(t("colonel.change.destroy.done", { address }))).toBeVisible();
  await button(found, t("colonel.find.submit")).click();
  await expect(found.getByText(t("colonel.find.none"))).toBeVisible();

  await name.fill(colonel.address);
  await button(found, t("colonel.find.submit")).click();
  await expect(found.getByText(t("colonel.find.own"))).toBeVisible();
  await expect(button(found, t("colonel.change.disable"))).toBeHidden();
});

test("the colonel's page does not exist for others", async ({ page }) => {
  await page.goto("/colonel");
  await expect(heading(page, t("notfound.title"))).toBeVisible();
  await signIn(page, ada);
  await page.goto("/colonel");
  await expect(heading(page, t("notfound.title"))).toBeVisible();
});

test("the administrators' page leads to its parts, and its tables are cards on a phone @phone", async ({
  page,
  isMobile,
}) => {
  await signIn(page, colonel);
  await page.goto("/colonel");
  const parts = page.getByRole("navigation", { name: t("colonel.areas") });
  await expect(parts.getByRole("link")).toHaveText([
    t("colonel.area.overview"),
    t("colonel.area.accounts"),
    t("colonel.area.invites"),
    t("colonel.area.reports"),
    t("colonel.area.system"),
  ]);
  const system = page.getByRole("heading", { name: t("colonel.area.system"), level: 2 });
  await expect(system).not.toBeInViewport();
  await parts.getByRole("link", { name: t("colonel.area.system") }).click();
  await expect(system).toBeInViewport();
  await expect(parts).toBeInViewport();
  await parts.getByRole("link", { name: t("colonel.area.accounts") }).click();
  const row = card(page, t("colonel.accounts")).getByRole("row").filter({ hasText: ada.address });
  const [width, table] = [(await row.boundingBox())?.width ?? 0, await row.locator("xpath=../..").boundingBox()];
  expect(width).toBeCloseTo(table?.width ?? 0, 0);
  if (isMobile) {
    expect(
      await row
        .getByRole("cell")
        .first()
        .evaluate((cell) => getComputedStyle(cell, "::before").content),
    ).toBe(`"${t("colonel.account.created")}"`);
  }
});

test("an address of a part of the administrators' page shows it", async ({ page }) => {
  await signIn(page, colonel);
  await page.goto("/colonel#reports");
  await expect(page.getByRole("heading", { name: t("colonel.area.reports"), level: 2 })).toBeInViewport();
});
