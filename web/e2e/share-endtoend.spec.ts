import {
  ada,
  button,
  card,
  clipboard,
  copyLink,
  expect,
  expectAccessible,
  heading,
  linkField,
  links,
  revealed,
  signIn,
  test,
} from "./fixtures";
import { openEndToEnd } from "./service";
import {
  change,
  decoded,
  endToEndLink,
  expectKind,
  expectNone,
  field,
  fillPassphrase,
  requests,
  secretOf,
  shareText,
  tab,
} from "./shareform";
import { t } from "./texts";

test("a text is encrypted on the device, and no request holds it @phone @check", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await expectKind(page, "end_to_end");
  const { link } = await shareText(page, "e2e secret of one device äöü");
  expect(link).toMatch(endToEndLink);
  await copyLink(page);
  await button(page, t("result.qr")).click();
  await expect(page.getByRole("dialog").getByRole("img", { name: t("qr.label") })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: t("receipt.state.waiting") })).toBeVisible();

  const secret = link.slice(-43);
  expect(
    sent.some((request) => request.url().endsWith("/ConcealSecret")),
    "a request that conceals",
  ).toBe(true);
  await expectNone(sent, "e2e secret of one device", secret, secretOf(link));
  expect(decoded((await openEndToEnd(link)).body)).toBe("e2e secret of one device äöü");
});

test("a passphrase stays on the device, in whichever form it was typed", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await fillPassphrase(page, "quick cafe\u0301 otter");
  const { link } = await shareText(page, "e2e secret behind a passphrase");
  await expectNone(sent, secretOf(link), "quick cafe\u0301 otter", "quick caf\u00e9 otter", "e2e secret behind");
  await expect(openEndToEnd(link)).rejects.toThrow(/403/);
  expect(decoded((await openEndToEnd(link, "quick caf\u00e9 otter")).body)).toBe("e2e secret behind a passphrase");
});

test("a generated secret is encrypted like a text", async ({ page, context, other }) => {
  const sent = requests(context);
  await page.goto("/");
  await tab(page, "generate").click();
  const result = page.getByLabel(t("generate.result"));
  await expect(result).toHaveText(/^\S{20}$/);
  const drawn = await result.innerText();
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expectNone(sent, drawn, secretOf(link));
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText(drawn);
});

test("a text of 100 KiB fits, and one byte more does not", async ({ page }) => {
  await page.goto("/");
  const limit = 100 * 1024;
  await field(page).fill("x".repeat(limit + 1));
  await expect(page.getByText(t("share.too_large", { over: "1 byte" }))).toBeVisible();
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("share.too_large", { over: "1 byte" }));
  await expect(page.getByText(t("share.too_large", { over: "1 byte" })), "said once").toHaveCount(1);
  await field(page).fill("x".repeat(limit + 2));
  await expect(page.getByText(t("share.too_large", { over: "1 byte" }))).toHaveCount(0);
  await expect(page.getByText(t("share.too_large", { over: "2 bytes" }))).toHaveCount(1);
  const { link } = await shareText(page, "x".repeat(limit));
  expect((await openEndToEnd(link)).body.length).toBe(limit);
});

test("a lost answer loses nothing, and the next try draws another secret", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  const proofs: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/ConcealSecret")) {
      const { sealed } = request.postDataJSON() as { sealed: { linkProofHash: string } };
      proofs.push(sealed.linkProofHash);
    }
  });
  await page.goto("/");
  await page.route("**/hush.v1.SecretService/ConcealSecret", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await field(page).fill("e2e secret without an answer");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toHaveText(t("share.lost"));
  await expect(field(page)).toHaveValue("e2e secret without an answer");
  await page.unrouteAll();
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  expect(new Set(proofs).size).toBe(2);
  expect(decoded((await openEndToEnd(link)).body)).toBe("e2e secret without an answer");
});

/** ask is the question before a link is lost. */
const ask = new RegExp(`^window: ${t("result.leave").replace(/[?.]/g, ".")}`);

test("the page asks before it is left without the link @phone @check", async ({ page, expected }) => {
  expected.push(ask);
  await page.goto("/");
  const { link, receipt } = await shareText(page, "e2e secret that would be lost");
  const stays = async (after: string) => {
    await expect.poll(() => page.url().endsWith(receipt), after).toBe(true);
    await expect(heading(page, t("receipt.fresh.title")), after).toBeVisible();
    await expect(linkField(page), after).toHaveValue(link);
  };
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await stays("after a link");
  await page.evaluate(() => history.back());
  await stays("after the back button");
  await page.evaluate((key) => (location.hash = `#${key}`), "0".repeat(31));
  await stays("after another fragment");

  const asked = page.waitForEvent("dialog", (dialog) => dialog.type() === "beforeunload");
  await page.evaluate(() => void setTimeout(() => location.reload(), 100));
  await asked;
  await expect(card(page, t("receipt.link"))).toContainText(t("receipt.link.end_to_end"));
  await expect(linkField(page)).toHaveCount(0);
});

test("a part of the link that was copied by hand is not the link, and all of it is", async ({ page, expected }) => {
  expected.push(ask);
  await page.goto("/");
  const { link } = await shareText(page, "e2e secret of a link copied by hand");
  const copy = async (characters: number) => {
    await linkField(page).focus();
    await linkField(page).evaluate((field, end) => (field as HTMLInputElement).setSelectionRange(0, end), characters);
    await page.keyboard.press("ControlOrMeta+c");
    await expect.poll(() => clipboard(page)).toBe(link.slice(0, characters));
    await page
      .getByRole("banner")
      .getByRole("link", { name: t("app.share") })
      .click();
  };
  await copy(link.length - 1);
  await expect(heading(page, t("receipt.fresh.title"))).toBeVisible();
  await copy(link.length);
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("a visitor who agrees to leave without the link leaves", async ({ page }) => {
  const asked: string[] = [];
  page.context().removeAllListeners("dialog");
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void dialog.accept();
  });
  await page.goto("/");
  await shareText(page, "e2e secret that is given up");
  await page.evaluate(() => history.back());
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(field(page)).toHaveValue("");
  await page.evaluate(() => history.forward());
  await expect(card(page, t("receipt.link"))).toContainText(t("receipt.link.end_to_end"));
  await expect(linkField(page)).toHaveCount(0);
  expect(asked).toEqual([t("result.leave")]);
});

test("the page asks nothing once the link was copied, or opens nothing", async ({ page }) => {
  await page.goto("/");
  await shareText(page, "e2e secret that was copied");
  await copyLink(page);
  await page.evaluate(() => history.back());
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(field(page)).toHaveValue("");

  await shareText(page, "e2e secret whose link was selected");
  await linkField(page).focus(); // selects all of it
  await page.keyboard.press("ControlOrMeta+c");
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await expect(heading(page, t("share.title"))).toBeVisible();

  await shareText(page, "e2e secret that was burned");
  await button(page, t("receipt.burn")).click();
  await button(page.getByRole("dialog", { name: t("receipt.burn.title") }), t("burn.confirm")).click();
  await expect(page.getByRole("heading", { name: t("receipt.state.burned") })).toBeVisible();
  await page.getByRole("link", { name: t("receipt.again") }).click();
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("the link goes from the page when the secret is opened", async ({ page, other }) => {
  await page.goto("/");
  const { link } = await shareText(page, "e2e secret that is opened at once");
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toBeVisible();
  await expect(page.getByRole("heading", { name: t("receipt.state.received") })).toBeVisible();
  await expect(heading(page, t("receipt.title"))).toBeVisible();
  await expect(linkField(page)).toHaveCount(0);
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("a script that does not load costs no secret", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  const sent: string[] = [];
  page.on("request", (request) => void sent.push(request.url()));
  await page.goto("/");
  await page.route("**/assets/receipt-*.js", (route) => route.abort());
  await field(page).fill("e2e secret without a page");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toHaveText(t("share.lost"));
  await expect(field(page)).toHaveValue("e2e secret without a page");
  expect(
    sent.some((one) => one.endsWith("/ConcealSecret")),
    "a request that conceals",
  ).toBe(false);
});

// A web mailer that is the mail program gets its address from the browser: the link must not be in it.
test("the message is copied for the mail program, which gets no link", async ({ page }) => {
  const opened: string[] = [];
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.enable");
  devtools.on("Page.frameRequestedNavigation", ({ url }) => void opened.push(url));
  await page.goto("/");
  const { link } = await shareText(page, "e2e secret for a mail");
  await button(page, t("result.send")).click();
  await button(page, t("result.mail")).click();
  await expect(page.getByRole("status").filter({ hasText: t("result.message.mailed") })).toBeAttached();
  await expect.poll(() => clipboard(page)).toContain(link);
  await expect.poll(() => opened).toEqual([`mailto:?subject=${encodeURIComponent(t("result.share.title"))}`]);
  await button(page, t("ui.close")).click();
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("a receipt has no link, and burns to share again @phone", async ({ page }) => {
  await page.goto("/");
  await fillPassphrase(page, "quick otter");
  const { link } = await shareText(page, "e2e secret to share again");
  await copyLink(page);
  await page.reload();
  await expect(card(page, t("receipt.link"))).toContainText(t("receipt.link.end_to_end"));
  await expect(page.getByText(/\/[se]#[0-9a-zA-Z]{31}/)).toHaveCount(0);
  await expect(card(page, t("receipt.facts"))).toContainText(t("encryption.end_to_end"));
  await expectAccessible(page);
  await button(page, t("receipt.link.again")).click();
  const dialog = page.getByRole("dialog", { name: t("receipt.burn.title") });
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  await button(dialog, t("receipt.link.again")).click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(field(page)).toHaveValue("");
  await expect(openEndToEnd(link, "quick otter")).rejects.toThrow(/404/);
});

test("an opening that was not confirmed does not look like success", async ({ page }) => {
  // No stream is left, so the page gets the receipt.
  const end = Buffer.from(JSON.stringify({ error: { code: "resource_exhausted" } }));
  const body = Buffer.concat([Buffer.from([2, 0, 0, 0, end.length]), end]);
  await page.route("**/hush.v1.MetadataService/WatchMetadata", (route) =>
    route.fulfill({ contentType: route.request().headers()["content-type"] ?? "", body }),
  );
  await change(page, "MetadataService/GetMetadata", ({ metadata }) => ({
    metadata: {
      ...metadata,
      state: "STATE_RECEIVED",
      receiveTime: metadata?.createTime,
      events: [{ kind: "KIND_REVEALED" }, { kind: "KIND_LAPSED" }],
    },
  }));
  await page.goto("/");
  await field(page).fill("e2e secret that was not confirmed");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("heading", { name: t("receipt.state.lapsed") })).toBeVisible();
  await expect(page.locator(".state-lapsed")).toContainText(t("receipt.confirmation.lapsed"));
  await expect(page.locator(".state-lapsed .icon-warn")).toBeVisible();
  await expectAccessible(page);
});

test("the receipt says whether the recipient's device has the secret", async ({ page, other }) => {
  await page.goto("/");
  const { link } = await shareText(page, "e2e secret to deliver");
  await copyLink(page);
  await expect(page.getByRole("heading", { name: t("receipt.state.waiting") })).toBeVisible();
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret to deliver");
  await expect(page.getByRole("main").getByText(t("receipt.confirmation.delivered"))).toBeVisible();
  await expect(page.getByText(t("receipt.event.delivered"), { exact: true })).toBeVisible();
});

test("a list names the kind of a secret", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/");
  await shareText(page, "e2e secret of a list");
  await copyLink(page);
  await page.goto("/recent");
  await expect(page.getByRole("listitem").first()).toContainText(t("encryption.end_to_end"));
});
