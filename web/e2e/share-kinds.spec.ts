import type { Page } from "@playwright/test";
import {
  ada,
  button,
  card,
  clipboard,
  expect,
  expectAccessible,
  linkField,
  links,
  revealed,
  signIn,
  test,
} from "./fixtures";
import { reveal } from "./service";
import {
  type Answer,
  change,
  choose,
  chooseKind,
  endToEndLink,
  expectKind,
  field,
  hand,
  shareText,
  tab,
  text,
  unfold,
} from "./shareform";
import { t } from "./texts";

test("the server's kind is chosen in the options, and takes no files", async ({ page, other }) => {
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret"));
  await chooseKind(page, "server");
  await expect(page.getByRole("alert")).toContainText(t("share.file.kind"));
  await expectKind(page, "end_to_end");
  await button(page, t("file.remove.named", { name: "a.txt" })).click();
  await chooseKind(page, "server");
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await expect(button(page, t("file.choose"))).toHaveCount(0);
  await hand(page, "drop", ["dropped.txt", "e2e secret"]);
  await expect(page.getByRole("alert")).toContainText(t("share.file.kind"));
  await expectAccessible(page);

  await tab(page, "text").click();
  const { link } = await shareText(page, "e2e secret of the server");
  expect(link).toMatch(/\/s#[0-9a-z]{31}$/);
  await page.reload();
  await expect(linkField(page)).toHaveValue(link);
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret of the server");
});

test("the link that opens without JavaScript is among the ways to send it, with what it costs @phone", async ({
  page,
  browser,
}) => {
  await page.goto("/");
  await chooseKind(page, "server");
  const { link } = await shareText(page, "e2e secret for any browser");
  await button(page, t("result.send")).click();
  const dialog = page.getByRole("dialog", { name: t("result.send.title") });
  await expect(dialog).toContainText(link);
  await expect(dialog).toContainText(t("result.plain.hint"));
  await dialog.getByLabel(t("result.plain")).check();
  const plain = link.replace("/s#", "/secret/");
  await expect(dialog).toContainText(plain);
  await expect(dialog).not.toContainText(link);
  await expectAccessible(page);
  await button(dialog, t("result.copy")).click();
  await expect.poll(() => clipboard(page)).toBe(plain);

  const bare = await browser.newContext({ javaScriptEnabled: false });
  const other = await bare.newPage();
  await other.goto(plain);
  await other.getByRole("button").click();
  await expect(other.locator("pre")).toHaveText("e2e secret for any browser");
  await bare.close();
});

test("what a kind means is explained before anything is typed", async ({ page }) => {
  await page.goto("/");
  await page.getByText(t("encryption.more"), { exact: true }).first().click();
  for (const key of ["about.encryption.page", "about.encryption.once", "about.encryption.history"] as const) {
    await expect(page.getByText(t(key))).toBeVisible();
  }
  await expectAccessible(page);
  await page.goto("/about");
  const kinds = card(page, t("about.encryption.title")).getByRole("table");
  await expect(kinds.getByRole("columnheader")).toHaveText([t("encryption.end_to_end"), t("encryption.server")]);
  await expect(kinds.getByRole("row", { name: t("about.kind.sees") })).toContainText(t("about.kind.sees.end_to_end"));
});

test("recipients need the server's kind, and choosing it is said", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/");
  await unfold(page, "more");
  await expect(page.getByText(t("share.recipient.end_to_end"))).toBeVisible();
  await expect(page.getByLabel(t("share.recipient"))).toHaveCount(0);
  await expectAccessible(page);
  await button(page, t("share.recipient.server")).click();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await page.getByLabel(t("share.recipient")).fill("friend@otters-team.com");
  await chooseKind(page, "end_to_end");
  await expect(page.getByText(t("share.recipient.end_to_end"))).toBeVisible();
  const { link } = await shareText(page, "e2e secret for no mail");
  expect(link).toMatch(endToEndLink);
  await expect(page.getByText("friend@")).toHaveCount(0);
  await button(page, t("result.send")).click();
  await expect(button(page, t("result.mail"))).toBeVisible();
});

for (const mail of [true, false]) {
  test(`mail by the server is spoken of only where it is possible: account, mail ${mail}`, async ({ page }) => {
    await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, mail }));
    await page.goto("/");
    await unfold(page, "more");
    await expect(page.getByText(t("share.kind.hint"))).toBeVisible();
    await signIn(page, ada);
    await page.goto("/");
    await expect(page.getByRole("button", { name: t("app.account_menu") })).toBeVisible();
    await expect(page.getByText(t(mail ? "share.kind.hint.mail" : "share.kind.hint"))).toBeVisible();
    await expect(button(page, t("share.recipient.server"))).toHaveCount(mail ? 1 : 0);
    await chooseKind(page, "server");
    await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
    await expect(page.getByLabel(t("share.recipient"))).toHaveCount(mail ? 1 : 0);
  });
}

test("About speaks of the kinds that are allowed", async ({ page }) => {
  await allow(page, "ENCRYPTION_SERVER");
  await page.goto("/about");
  const told = card(page, t("share.kind"));
  await expect(told.getByRole("columnheader")).toHaveText([t("encryption.server")]);
  await expect(told.getByText(t("about.kind.sees.server"))).toBeVisible();
  await expect(page.getByText(t("about.way.you.server"))).toBeVisible();
  await expect(page.getByText(t("encryption.end_to_end"))).toHaveCount(0);
});

/** allow makes the operator's policy allow only some kinds. */
async function allow(page: Page, ...encryptions: string[]): Promise<void> {
  await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, encryptions }));
}

test("a policy of one kind leaves no choice", async ({ page, other }) => {
  await allow(page, "ENCRYPTION_SERVER");
  await page.goto("/");
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await expect(page.getByRole("radio", { name: t("encryption.server") })).toHaveCount(0);
  await expect(button(page, t("file.choose"))).toHaveCount(0);
  await expect(page.getByText(t("share.file.kind"))).toHaveCount(0);
  await hand(page, "drop", ["dropped.txt", "e2e secret"]);
  await expect(page.getByRole("alert")).toHaveText(t("share.file.none"));
  expect((await shareText(page, "e2e secret of one kind")).link).toMatch(/\/s#/);

  await allow(other, "ENCRYPTION_END_TO_END");
  await other.goto("/");
  await expectKind(other, "end_to_end");
  await expect(other.getByRole("radio", { name: t("encryption.server") })).toHaveCount(0);
  expect((await shareText(other, "e2e secret of one kind")).link).toMatch(endToEndLink);
});

// A policy that arrives late must not turn what was typed under one promise into another kind.
test("the kind never changes without a word", async ({ page }) => {
  let arrive = () => {};
  const late = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/hush.v1.SystemService/GetPolicy", async (route) => {
    const answer = await route.fetch();
    const policy = (await answer.json()) as object;
    await late;
    await route.fulfill({ response: answer, json: { ...policy, encryptions: ["ENCRYPTION_SERVER"] } });
  });
  await page.goto("/");
  await expectKind(page, "end_to_end");
  await field(page).fill("e2e secret of a promise");
  arrive();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("share.kind.changed"));
  await button(page, t("share.submit")).click();
  expect((await links(page)).link).toMatch(/\/s#/);
});

test("the kind never changes without a word, also if a script does not load at first", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  let arrive = () => {};
  const late = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/hush.v1.SystemService/GetPolicy", async (route) => {
    const answer = await route.fetch();
    const policy = (await answer.json()) as object;
    await late;
    await route.fulfill({ response: answer, json: { ...policy, encryptions: ["ENCRYPTION_SERVER"] } });
  });
  await page.route("**/assets/conceal-*.js", (route) => route.abort());
  await page.goto("/");
  await expectKind(page, "end_to_end");
  await field(page).fill("e2e secret of a promise");
  arrive();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("share.lost"));
  await page.unroute("**/assets/conceal-*.js");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("share.kind.changed"));
  await button(page, t("share.submit")).click();
  expect((await links(page)).link).toMatch(/\/s#/);
});

for (const [name, changed] of Object.entries<(answer: Answer) => object>({
  "another kind": (a) => ({ ...a, secret: { ...a.secret, encryption: "ENCRYPTION_SERVER" } }),
  "no kind": (a) => ({ ...a, secret: { ...a.secret, encryption: undefined } }),
  "a receipt of another kind": (a) => ({ ...a, metadata: { ...a.metadata, encryption: "ENCRYPTION_SERVER" } }),
  "another domain": (a) => ({ ...a, secret: { ...a.secret, shareDomain: "thief.example" } }),
  "a receipt without an address": (a) => ({ ...a, metadata: { ...a.metadata, metadataKey: "../s" } }),
  "a key that is none": (a) => ({ ...a, secret: { ...a.secret, secretKey: "thief.example/" } }),
  "a passphrase that was not sent": (a) => ({ ...a, secret: { ...a.secret, hasPassphrase: true } }),
})) {
  test(`an answer with ${name} gives no link`, async ({ page }) => {
    await change(page, "SecretService/ConcealSecret", changed);
    await page.goto("/");
    await field(page).fill("e2e secret of a lying server");
    await button(page, t("share.submit")).click();
    await expect(page.getByRole("alert")).toContainText(t("share.answer"));
    await expect(field(page)).toHaveValue("e2e secret of a lying server");
    await expect(page.getByText("/e#")).toHaveCount(0);
  });
}

test("a page without WebCrypto says that the server encrypts, or why nothing can be shared", async ({
  page,
  other,
}) => {
  for (const one of [page, other]) {
    await one.addInitScript(() => Object.defineProperty(Crypto.prototype, "subtle", { value: undefined }));
  }
  await page.goto("/");
  await expect(page.getByText(t("share.kind.no_crypto"))).toBeVisible();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await expectAccessible(page);
  const { link } = await shareText(page, "e2e secret without WebCrypto");
  expect(await reveal(link.slice(-31))).toBe("e2e secret without WebCrypto");

  await allow(other, "ENCRYPTION_END_TO_END");
  await other.goto("/");
  await expect(other.getByRole("alert")).toContainText(t("share.kind.impossible"));
  await expect(button(other, t("share.submit"))).toHaveCount(0);
  await expectAccessible(other);
});
