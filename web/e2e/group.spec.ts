import type { Locator, Page } from "@playwright/test";
import {
  ada,
  button,
  card,
  clipboard,
  expect,
  expectAccessible,
  gate,
  heading,
  revealed,
  signIn,
  test,
  url,
} from "./fixtures";
import { mailTo, openEndToEnd } from "./service";
import { chooseKind, unfold } from "./shareform";
import { t } from "./texts";

/** groupAddress is the address of a page for so many receipts. */
const groupAddress = (count: number) => new RegExp(`/r#[0-9a-z]{31}(\\.[0-9a-z]{31}){${count - 1}}$`);

/** member finds what the page of a group shows for a recipient. */
function member(page: Page, name: string): Locator {
  return page.getByRole("listitem", { name });
}

/** linkFor returns the link of a recipient, which is folded. */
async function linkFor(page: Page, name: string): Promise<string> {
  const link = member(page, name).getByText(/\/[se]#[0-9a-zA-Z]{31,74}$/);
  if (!(await link.isVisible())) {
    await member(page, name).getByText(t("group.link.show")).click();
  }
  return link.innerText();
}

/** choose presses an item of the menu of a recipient. */
async function choose(page: Page, name: string, item: "group.ways" | "recent.burn"): Promise<void> {
  await button(page, t("group.menu.for", { name })).click();
  await page.getByRole("menuitem", { name: t(item) }).click();
}

/** submit presses the button that shares, whatever number of links it names. */
async function submit(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Create (link|\d+ links)$/ }).click();
}

/** shareWith shares a text with several names. */
async function shareWith(page: Page, names: string, text: string): Promise<void> {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill(text);
  await unfold(page, "more");
  await button(page, t("share.several")).click();
  await page.getByRole("textbox", { name: t("share.names") }).fill(names);
  await submit(page);
}

/** groupsOf collects the groups that a page names when it shares. */
function groupsOf(page: Page): string[] {
  const groups: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/ConcealSecret")) {
      groups.push((request.postDataJSON() as { group?: string }).group ?? "");
    }
  });
  return groups;
}

/** holdSecond holds the second call that shares until go, and says when it was asked. */
async function holdSecond(page: Page) {
  const groups = groupsOf(page);
  const { held, go } = gate();
  await page.route("**/hush.v1.SecretService/ConcealSecret", async (route) => {
    await (groups.length === 2 ? held : undefined);
    await route.continue().catch(() => {}); // the page gave it up
  });
  const asked = page.waitForRequest((request) => groups.length === 2 && request.url().endsWith("/ConcealSecret"));
  return { asked, go };
}

const refused = { code: "resource_exhausted", message: "too many" };

test("a pasted column is one recipient a line, and the button says how many links it makes @phone", async ({
  page,
}) => {
  await page.goto("/");
  await unfold(page, "more");
  await button(page, t("share.several")).click();
  const names = page.getByRole("textbox", { name: t("share.names") });
  await expect(button(page, t("share.submit"))).toBeVisible();
  await page.evaluate(() => navigator.clipboard.writeText("Kim\r\n Lee, \n\nMax\n"));
  await names.press("ControlOrMeta+v");
  await expect(names).toHaveValue("Kim, Lee, Max");
  await expect(button(page, t("share.submit.links.other", { count: "3" }))).toBeInViewport();
  await page.evaluate(() => navigator.clipboard.writeText("Noa"));
  await names.fill("Kim, ");
  await names.press("ControlOrMeta+v");
  await expect(names).toHaveValue("Kim, Noa");
});

test("each recipient gets a link, and the page shows what happens to each @phone", async ({ page, other }) => {
  const groups = groupsOf(page);
  await shareWith(page, "Kim, Lee , Ida,Kim", "e2e secret of three");
  await expect(heading(page, t("group.fresh.title"))).toBeVisible();
  expect(page.url()).toMatch(groupAddress(3));
  expect(new Set(groups).size, "groups").toBe(1);
  expect(Buffer.from(groups[0] ?? "", "base64").length, "bytes of a group").toBe(16);
  const links: string[] = [];
  for (const name of ["Kim", "Lee", "Ida"]) {
    links.push(await linkFor(page, name));
  }
  await expect(page.getByText(t("group.opened", { opened: "0", count: "3" }))).toBeVisible();
  await expect(page.getByText(t("receipt.live"), { exact: true })).toBeVisible();
  expect(new Set(links.map((link) => link.split("#")[1])).size, "links").toBe(3);
  await expectAccessible(page);

  await other.goto(links[1] ?? "");
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret of three");
  await expect(member(page, "Lee").getByText(t("recent.state.received"), { exact: true })).toBeVisible();
  await expect(page.getByText(links[1] ?? "")).toHaveCount(0);
  await expect(page.getByText(t("group.opened", { opened: "1", count: "3" }))).toBeVisible();
  await expect(member(page, "Kim").getByText(t("recent.state.waiting"), { exact: true })).toBeVisible();
  expect(new TextDecoder().decode((await openEndToEnd(links[0] ?? "")).body)).toBe("e2e secret of three");
});

test("the links of a group are copied together, and their address shows the states again", async ({ page }) => {
  await shareWith(page, "Kim, Lee", "e2e secret to copy twice");
  await expect(heading(page, t("group.fresh.title"))).toBeVisible();
  const address = page.url();
  const links = [await linkFor(page, "Kim"), await linkFor(page, "Lee")];
  await button(page, t("group.copy.all")).click();
  await expect.poll(() => clipboard(page)).toBe(`Kim: ${links[0]}\nLee: ${links[1]}`);
  await button(page, t("receipt.copy")).click();
  await expect.poll(() => clipboard(page)).toBe(address);
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
  await page.goto(address);
  await page.reload();
  await expect(heading(page, t("group.title"))).toBeVisible();
  await expect(member(page, "Kim")).toContainText(t("group.link.unknown"));
  await expect(page.getByText(/\/e#/)).toHaveCount(0);
  await expectAccessible(page);
});

test("the page of a group asks until every link was copied", async ({ page, expected }) => {
  expected.push(/^window: /);
  await shareWith(page, "Kim, Lee", "e2e secret that would be lost twice");
  await button(page, t("group.copy.named", { name: "Kim" })).click();
  await expect(button(page, t("group.copied.named", { name: "Kim" }))).toHaveText(t("ui.copied"));
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await expect(heading(page, t("group.fresh.title"))).toBeVisible();
  await button(page, t("group.copy.named", { name: "Lee" })).click();
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("one secret of a group is burned, then all that wait @phone", async ({ page }) => {
  await shareWith(page, "Kim, Lee, Ida", "e2e secret to burn thrice");
  const links: string[] = [];
  for (const name of ["Kim", "Lee", "Ida"]) {
    links.push(await linkFor(page, name));
  }
  await choose(page, "Lee", "recent.burn");
  await button(page.getByRole("dialog", { name: t("receipt.burn.title") }), t("burn.confirm")).click();
  await expect(member(page, "Lee").getByText(t("recent.state.burned"), { exact: true })).toBeVisible();
  await expect(member(page, "Kim").getByText(t("recent.state.waiting"), { exact: true })).toBeVisible();

  let calls = 0;
  await page.route("**/hush.v1.SecretService/BurnSecret", (route) => {
    calls += 1;
    return calls === 1 ? route.fulfill({ status: 429, json: refused }) : route.continue();
  });
  await button(page, t("group.burn")).click();
  const dialog = page.getByRole("dialog", { name: t("group.burn.title") });
  await expectAccessible(page);
  await button(dialog, t("group.burn")).click();
  await expect(dialog.getByRole("alert")).toContainText("Kim");
  await expect(dialog.getByRole("alert")).not.toContainText("Ida");
  await button(dialog, t("group.burn")).click();
  await expect(dialog).toBeHidden();
  for (const name of ["Kim", "Lee", "Ida"]) {
    await expect(member(page, name).getByText(t("recent.state.burned"), { exact: true })).toBeVisible();
  }
  for (const link of links) {
    await expect(openEndToEnd(link)).rejects.toThrow(/404/);
  }
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("a refusal after two of five links says so, and the rest is tried again @phone", async ({ page, expected }) => {
  expected.push(/^window: /);
  const groups = groupsOf(page);
  await page.route("**/hush.v1.SecretService/ConcealSecret", (route) =>
    groups.length === 3 ? route.fulfill({ status: 429, json: refused }) : route.continue(),
  );
  await shareWith(page, "A1, B2, C3, D4, E5", "e2e secret of five");
  await expect(heading(page, t("group.fresh.title"))).toBeVisible();
  const said = page.getByRole("alert");
  await expect(said).toContainText(t("group.rest", { made: "2", count: "5", names: "C3, D4, E5" }));
  await expect(said).toContainText(t("problem.rate_limited.later"));
  await expect(said).not.toContainText(t("group.rest.lost", { name: "C3" }));
  expect(groups.length, "calls").toBe(3); // what follows a refusal is not tried
  expect(page.url()).toMatch(groupAddress(2));
  await expectAccessible(page);
  const first = await linkFor(page, "A1");
  await button(page, t("group.copy.all")).click();
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks, because of the rest
  await expect(said).toBeVisible();

  await button(page, t("group.rest.again")).click();
  await expect(member(page, "E5")).toBeVisible();
  await expect(said).toHaveCount(0);
  expect(page.url()).toMatch(groupAddress(5));
  expect(await linkFor(page, "A1")).toBe(first);
  expect(new Set(groups).size, "groups").toBe(1);
  for (const name of ["A1", "B2", "C3", "D4", "E5"]) {
    const { body } = await openEndToEnd(await linkFor(page, name));
    expect(new TextDecoder().decode(body)).toBe("e2e secret of five");
  }
});

test("a refusal after one link leaves a page that tries the others, and a lost answer is named", async ({
  page,
  expected,
}) => {
  expected.push(/ERR_FAILED/);
  const groups = groupsOf(page);
  await page.route("**/hush.v1.SecretService/ConcealSecret", async (route) => {
    if (groups.length === 2) {
      await route.fetch();
      await route.abort();
    } else {
      await route.continue();
    }
  });
  await shareWith(page, "Kim, Lee", "e2e secret of one of two");
  const said = page.getByRole("alert");
  await expect(said).toContainText(t("group.rest", { made: "1", count: "2", names: "Lee" }));
  await expect(said).toContainText(t("group.rest.lost", { name: "Lee" }));
  await button(page, t("group.rest.again")).click();
  await expect(member(page, "Lee")).toBeVisible();
  await expect(said).toHaveCount(0);
});

test("leaving while links are made asks first", async ({ page, expected }) => {
  expected.push(/^window: /);
  const { asked, go } = await holdSecond(page);
  await shareWith(page, "Kim, Lee", "e2e secret that is half made");
  await asked;
  await page
    .getByRole("contentinfo")
    .getByRole("link", { name: t("app.about") })
    .click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  go();
  await expect(heading(page, t("group.fresh.title"))).toBeVisible();
  await button(page, t("group.copy.all")).click();
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("a page that was left while links are made asks no more", async ({ page }) => {
  await page.addInitScript(() => {
    Object.assign(window, { asked: 0 });
    window.confirm = () => {
      (window as unknown as { asked: number }).asked += 1;
      return true; // leave
    };
  });
  const { asked, go } = await holdSecond(page);
  await page.goto("/");
  await chooseKind(page, "server");
  await page.getByLabel(t("share.secret")).fill("e2e secret that is half left");
  await button(page, t("share.several")).click();
  await page.getByRole("textbox", { name: t("share.names") }).fill("Kim, Lee");
  await submit(page);
  await asked;
  const about = page.getByRole("contentinfo").getByRole("link", { name: t("app.about") });
  await about.click();
  await expect(page).toHaveURL(`${url}/about`);
  await page
    .getByRole("banner")
    .getByRole("link", { name: t("app.share") })
    .click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { asked: number }).asked)).toBe(1);
  await expect(page.getByLabel(t("share.secret"))).toHaveValue("e2e secret that is half left");
  go();
});

test("a mail with one link of a group asks nothing, and the other link stays", async ({ page }) => {
  const asked: string[] = [];
  page.on("dialog", (dialog) => void asked.push(dialog.type()));
  await shareWith(page, "Kim, Lee", "e2e secret for two mails");
  await choose(page, "Kim", "group.ways");
  const other = await linkFor(page, "Lee");
  await button(member(page, "Kim"), t("result.send")).click();
  await button(member(page, "Kim"), t("result.mail")).click();
  await expect(page.getByRole("status").filter({ hasText: t("result.message.mailed") })).toBeAttached();
  await expect(page.getByText(other)).toBeVisible();
  expect(asked).toEqual([]);
});

test("a page that was left while the rest is made does not come back", async ({ page }) => {
  await page.addInitScript(() => {
    window.confirm = () => true; // leave
  });
  const groups = groupsOf(page);
  const { held, go } = gate();
  await page.route("**/hush.v1.SecretService/ConcealSecret", async (route) => {
    if (groups.length === 2) {
      await route.fulfill({ status: 429, json: refused });
      return;
    }
    if (groups.length > 2) {
      await held;
    }
    await route.continue().catch(() => {}); // the page gave it up
  });
  await shareWith(page, "Kim, Lee, Ida", "e2e secret that is left");
  const asked = page.waitForRequest((request) => groups.length === 3 && request.url().endsWith("/ConcealSecret"));
  await button(page, t("group.rest.again")).click();
  await asked;
  const ended = page.waitForEvent("requestfailed"); // not all of it had left
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await ended;
  go();
  await page.getByLabel(t("share.secret")).fill("e2e secret that follows");
  await submit(page);
  await expect(heading(page, t("receipt.fresh.title"))).toBeVisible();
  expect(groups.length, "calls").toBe(4); // none for Ida
});

test("a secret that was burned late closes no question about another", async ({ page }) => {
  await shareWith(page, "Kim, Lee", "e2e secret to burn late");
  const { held, go } = gate();
  await page.route("**/hush.v1.SecretService/BurnSecret", async (route) => {
    await held;
    await route.continue();
  });
  const dialog = page.getByRole("dialog", { name: t("receipt.burn.title") });
  await choose(page, "Kim", "recent.burn");
  await button(dialog, t("burn.confirm")).click();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await choose(page, "Lee", "recent.burn");
  await expect(dialog).toContainText("Lee");
  go();
  await expect(member(page, "Kim").getByText(t("recent.state.burned"), { exact: true })).toBeVisible();
  await expect(dialog).toContainText("Lee");
  await button(dialog, t("burn.confirm")).click();
  await expect(member(page, "Lee").getByText(t("recent.state.burned"), { exact: true })).toBeVisible();
});

test("an address that none can be is refused before the first secret is made", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret for a bad address");
  await unfold(page, "more");
  await button(page, t("share.recipient.server")).click();
  await page.getByLabel(t("share.recipient")).fill("ada@newcomers-team.com, nowhere@");
  const groups = groupsOf(page);
  await submit(page);
  await expect(page.getByRole("alert")).toContainText("nowhere@");
  await expect(page.getByLabel(t("share.recipient"))).toBeFocused();
  expect(groups).toEqual([]);
});

test("a lost answer says that the link may have been mailed", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  await signIn(page, ada);
  const address = `lost-${crypto.randomUUID().slice(0, 8)}@newcomers-team.com`;
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret that was mailed");
  await unfold(page, "more");
  await button(page, t("share.recipient.server")).click();
  await page.getByLabel(t("share.recipient")).fill(address);
  await page.route("**/hush.v1.SecretService/ConcealSecret", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await submit(page);
  await expect(page.getByRole("alert")).toContainText(t("group.rest.lost.mailed", { name: address }));
  await expect(page.getByLabel(t("share.secret"))).toHaveValue("e2e secret that was mailed");
  expect((await mailTo(address, "/s#")).to).toBe(address);
});

test("a refusal of the first link makes nothing and keeps the form", async ({ page }) => {
  await page.route("**/hush.v1.SecretService/ConcealSecret", (route) => route.fulfill({ status: 429, json: refused }));
  await shareWith(page, "Kim, Lee", "e2e secret of none");
  await expect(page.getByRole("alert")).toContainText(t("problem.rate_limited.later"));
  await expect(page.getByLabel(t("share.secret"))).toHaveValue("e2e secret of none");
  await expect(page.getByRole("textbox", { name: t("share.names") })).toHaveValue("Kim, Lee");
});

test("too many recipients are refused beside their field", async ({ page }) => {
  await shareWith(page, Array.from({ length: 11 }, (_, i) => `N${i}`).join(), "e2e secret of eleven");
  await expect(page.getByRole("alert")).toContainText(t("share.names.max", { count: "10" }));
  await expect(page.getByRole("textbox", { name: t("share.names") })).toBeFocused();
});

test("the server mails each recipient a link of their own, and the list shows the group @phone", async ({
  page,
  other,
}) => {
  await signIn(page, ada);
  const id = crypto.randomUUID().slice(0, 8);
  const addresses = ["one", "two"].map((name) => `${name}-${id}@newcomers-team.com`);
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret for two mails");
  await unfold(page, "more");
  await page.getByLabel(t("share.label")).fill(`two mails ${id}`);
  await button(page, t("share.recipient.server")).click();
  await page.getByLabel(t("share.recipient")).fill(addresses.join(", "));
  await submit(page);
  await expect(heading(page, t("group.fresh.title"))).toBeVisible();
  const links: string[] = [];
  for (const address of addresses) {
    const link = await linkFor(page, address);
    expect((await mailTo(address, "/s#")).text).toContain(link);
    links.push(link);
  }
  expect(new Set(links).size).toBe(2);
  await other.goto(links[0] ?? "");
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret for two mails");

  await page.goto("/recent"); // asks nothing: the server's links come back
  await page
    .getByRole("listitem")
    .filter({ hasText: id })
    .first()
    .getByRole("link", { name: t("group.one_of", { count: "2" }) })
    .click();
  await expect(heading(page, t("group.title"))).toBeVisible();
  expect(page.url()).toMatch(groupAddress(2));
  // The receipts hide most of an address.
  await expect(member(page, "on*****@n*****.com").getByText(t("recent.state.received"), { exact: true })).toBeVisible();
  expect(await linkFor(page, "tw*****@n*****.com")).toBe(links[1]);
  const address = page.url();
  await page.getByRole("link", { name: "tw*****@n*****.com" }).click(); // the receipt of one leads back
  await expect(heading(page, t("receipt.title"))).toBeVisible();
  await page.getByRole("link", { name: t("group.one_of", { count: "2" }) }).click();
  await expect(heading(page, t("group.title"))).toBeVisible();
  expect(page.url().split("#")[1]?.split(".").sort()).toEqual(address.split("#")[1]?.split(".").sort());
  await expect(card(page, t("group.links"))).toContainText(t("group.links.hint"));
  expect(page.url().startsWith(url)).toBe(true);
});
