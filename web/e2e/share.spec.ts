import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
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
  unfoldReceipt,
  url,
} from "./fixtures";
import { conceal, openEndToEnd, reveal } from "./service";
import { chooseKind, tab, unfold } from "./shareform";
import { t } from "./texts";

test("a secret goes from sender to recipient, and the receipt updates itself @phone @check", async ({
  page,
  other,
}) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret of the way\n  with two lines");
  await button(page, t("share.submit")).click();
  const { link, receipt } = await links(page);
  expect(page.url(), "address of the page with the links").toBe(`${url}${receipt}`);
  await copyLink(page);
  await expect(page.getByRole("heading", { name: t("receipt.state.waiting") })).toBeVisible();
  await unfoldReceipt(page, t("receipt.timeline"));

  await other.goto(link);
  await expect(page.getByText(t("receipt.event.looked"))).toBeVisible();
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret of the way\n  with two lines");

  await expect(page.getByRole("heading", { name: t("receipt.state.received") })).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(`^✓ ${t("receipt.state.received")} · `)); // seen in another tab, too
  await expect(linkField(page)).toHaveCount(0);
});

test("the link of the server's kind is there again after a reload @phone", async ({ page, other }) => {
  await page.goto("/");
  await chooseKind(page, "server");
  await page.getByLabel(t("share.secret")).fill("e2e secret to come back to");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(link.slice(-31));
  await page.reload();
  await expect(heading(page, t("receipt.title"))).toBeVisible();
  await expect(linkField(page)).toHaveValue(link);
  await page.goBack(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(page.getByLabel(t("share.secret"))).toHaveValue("");
  await page.goForward();
  await expect(linkField(page)).toHaveValue(link);

  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret to come back to");
  await expect(linkField(page)).toHaveCount(0);
  await expect(page).toHaveTitle(new RegExp(`^✓ ${t("receipt.state.received")} · `));
  await page.reload(); // as a browser does with a tab that it put to sleep
  await expect(page.getByRole("heading", { name: t("receipt.state.received") })).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(`^✓ ${t("receipt.state.received")} · `));
  await expect(linkField(page)).toHaveCount(0);
});

test("links are copied, shown as a QR code and put into a message @check", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret to copy");
  await button(page, t("share.submit")).click();
  const { link, receipt } = await links(page);

  await copyLink(page);
  await expect(page.getByRole("status").filter({ hasText: t("result.copied") })).toBeAttached();
  await expect.poll(() => clipboard(page)).toBe(link);

  await button(page, t("receipt.copy")).click();
  await expect.poll(() => clipboard(page)).toBe(url + receipt);

  await button(page, t("result.send")).click();
  await button(page, t("result.message.copy")).click();
  await expect.poll(() => clipboard(page)).toContain(link);
  await expect(page.getByLabel(t("result.plain"))).toHaveCount(0); // only its device encrypts
  await page.keyboard.press("Escape");
  await expect(button(page, t("result.send"))).toBeFocused();

  await button(page, t("result.qr")).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("img", { name: t("qr.label") })).toBeVisible();
  const png = await saved(page, t("qr.save.png"));
  expect([png.name, png.body.subarray(1, 4).toString()]).toEqual(["qr-code.png", "PNG"]);
  const svg = await saved(page, t("qr.save.svg"));
  expect([svg.name, svg.body.toString().slice(0, 5)]).toEqual(["qr-code.svg", "<svg "]);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(button(page, t("result.qr"))).toBeFocused();
});

/** saved clicks a button that saves a file, and returns the file. */
async function saved(page: Page, name: string) {
  const download = page.waitForEvent("download");
  await button(page, name).click();
  const file = await download;
  return { name: file.suggestedFilename(), body: readFileSync(await file.path()) };
}

test("a QR code is in the middle, has its empty border, and is large enough for a camera @phone", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret to scan");
  await button(page, t("share.submit")).click();
  await links(page);
  await button(page, t("result.qr")).click();
  const code = page.getByRole("img", { name: t("qr.label") });
  await expect(code).toBeVisible();
  const side = (await page.locator(".dialog-body").boundingBox()) ?? { x: 0, width: 0 };
  const box = (await code.boundingBox()) ?? { x: 0, width: 0 };
  expect(Math.abs(box.x + box.width / 2 - (side.x + side.width / 2)), "distance from the middle").toBeLessThan(2);
  const modules = Number((await code.getAttribute("viewBox"))?.split(" ")[2]);
  expect(box.width / modules, "pixels for a module").toBeGreaterThanOrEqual(4);
  const path = (await code.locator("path").getAttribute("d")) ?? "";
  const starts = [...path.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
  expect(Math.min(...starts.map(([x]) => x)), "empty columns").toBe(4);
  expect(Math.min(...starts.map(([, y]) => y)), "empty lines").toBe(4);
  await expectAccessible(page);
});

test("the keys that send the form are named where there is a keyboard", async ({ page, other }) => {
  await page.goto("/");
  await expect(page.getByText(t("share.keys", { keys: "Ctrl+Enter" }))).toBeVisible();
  await other.addInitScript(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
  await other.goto("/");
  await expect(other.getByText(t("share.keys", { keys: "Cmd+Enter" }))).toBeVisible();
  await other.getByLabel(t("share.secret")).fill("e2e secret of an Apple keyboard");
  await other.keyboard.press("Meta+Enter");
  await links(other);
});

test("the link goes to the share sheet where there is one", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "share", {
      value: async (data: ShareData) => document.body.setAttribute("data-shared", data.url ?? ""),
    });
  });
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret to share elsewhere");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await button(page, t("result.send")).click();
  await button(page, t("result.share")).click();
  await expect(page.locator("body")).toHaveAttribute("data-shared", link);
  await button(page, t("ui.close")).click();
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
});

/** waitInBackground shares a secret from a page in the background that wants a notification, which fails where it may not be made. */
async function waitInBackground(page: Page, secret: string, refused = false): Promise<string> {
  await page.addInitScript((refused) => {
    const told: string[] = [];
    class Told {
      static permission = "default";
      static async requestPermission() {
        Told.permission = "granted";
        return Told.permission;
      }
      constructor(text: string) {
        told.push(text);
        if (refused) {
          throw new TypeError("Illegal constructor");
        }
      }
    }
    Object.assign(window, { Notification: Told, told });
    Object.defineProperty(document, "hidden", { get: () => true });
  }, refused);
  await page.clock.install();
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill(secret);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  const notify = button(page, t("receipt.notify"));
  await expect(notify).toHaveAttribute("aria-pressed", "false");
  await notify.click();
  await expect(notify).toHaveAttribute("aria-pressed", "true");
  return link;
}

const told = (page: Page) => page.evaluate(() => (window as unknown as { told: string[] }).told);

test("the moment the secret is opened is seen in the page, its tab and a notification, also after long", async ({
  page,
  other,
}) => {
  const watching = page.waitForRequest("**/WatchMetadata");
  const link = await waitInBackground(page, "e2e secret that is waited for");
  const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/WatchMetadata"));
  await watching;
  await expect(page.locator("head link[rel=icon]").first()).toHaveAttribute("href", "/icon.svg");
  await page.clock.fastForward(61_000); // a page in the background gives its stream back
  await ended;

  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret that is waited for");
  await page.clock.fastForward(40_000);
  await expect(page.locator(".card-turned .state-received")).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(`^✓ ${t("receipt.state.received")} · `));
  await expect(page.locator("head link[rel=icon]")).toHaveAttribute("href", /^data:image\/png;base64,/);
  expect(await told(page)).toEqual([t("receipt.state.received")]);
  await expectAccessible(page);

  await page.getByRole("link", { name: t("receipt.again") }).click();
  await expect(page).toHaveTitle(new RegExp(`^${t("share.title")}`));
  await expect(page.locator("head link[rel=icon]").first()).toHaveAttribute("href", "/icon.svg");
});

test("the receipt is shown where the browser makes no notification", async ({ page, other }) => {
  const link = await waitInBackground(page, "e2e secret without a notification", true);
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect.poll(() => told(page)).toEqual([t("receipt.state.received")]);
  await expect(page.locator(".card-turned .state-received")).toBeVisible();
  await expect(heading(page, t("receipt.title"))).toBeVisible();
});

test("the status is seen without scrolling, and there is no offer of notifications where there are none", async ({
  page,
}) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, "Notification"));
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret at one glance");
  await button(page, t("share.submit")).click();
  await links(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole("heading", { name: t("receipt.state.waiting") })).toBeInViewport({ ratio: 1 });
  await expect(button(page, t("receipt.burn"))).toBeInViewport({ ratio: 1 });
  await expect(button(page, t("receipt.notify"))).toHaveCount(0);
});

test("a print has the service, the link with its code, and until when it opens once", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret on paper");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  const sheet = page.locator(".print-sheet");
  await expect(sheet).toBeHidden();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(sheet).toBeVisible();
  const words = (await page.getByRole("main").innerText()).split("\n").filter((line) => line.trim() !== "");
  expect(words).toEqual(["Hush", link, expect.stringMatching(/^Opens only once\. Expires on .+\.$/)]);
  await expect(sheet.getByRole("img", { name: t("qr.label") })).toBeVisible();
  await expect(page.locator(".header, .footer, .button").filter({ visible: true })).toHaveCount(0);
  expect(await page.locator("html").evaluate((html) => getComputedStyle(html).backgroundColor)).toBe(
    "rgb(255, 255, 255)",
  );
});

test("the sender burns the secret at once @check", async ({ page, other }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret to burn");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);

  await button(page, t("receipt.burn")).click();
  const dialog = page.getByRole("dialog", { name: t("receipt.burn.title") });
  await button(dialog, t("ui.cancel")).click();
  await expect(dialog).toBeHidden();
  await button(page, t("receipt.burn")).click();
  await button(dialog, t("burn.confirm")).click();
  await expect(page.getByRole("heading", { name: t("receipt.state.burned") })).toBeVisible();
  await expect(heading(page, t("receipt.title"))).toBeFocused();
  await expect(linkField(page)).toHaveCount(0);

  await other.goto(link);
  await expect(heading(other, t("open.gone.title"))).toBeVisible();
});

test("a receipt burns a secret without its passphrase @phone", async ({ page }) => {
  const { receipt, key } = await conceal({ secret: "e2e secret behind a passphrase", passphrase: "open sesame" });
  await page.goto(`/private/${receipt}`);
  await button(page, t("receipt.burn")).click();
  const dialog = page.getByRole("dialog", { name: t("receipt.burn.title") });
  await expect(dialog.getByRole("textbox")).toHaveCount(0);
  await button(dialog, t("burn.confirm")).click();
  await expect(page.getByRole("heading", { name: t("receipt.state.burned") })).toBeVisible();
  await expect(reveal(key)).rejects.toThrow(/404/);
});

test("a label stays with the receipt", async ({ page }) => {
  const { receipt } = await conceal({ secret: "e2e secret with a label" });
  await page.goto(`/r#${receipt}`);
  await unfoldReceipt(page, t("share.label"));
  await page.getByLabel(t("share.label")).fill("for Ida");
  await button(page, t("receipt.save")).click();
  await expect(page.getByRole("status").filter({ hasText: t("receipt.memo.saved") })).toBeAttached();
  await page.reload();
  await expect(page.getByLabel(t("share.label"))).toHaveValue("for Ida");
  await expect(linkField(page)).toHaveValue(/\/s#[0-9a-z]{31}$/);
});

test("a label that is given while sharing is on the receipt and in the list, and not for the recipient @phone", async ({
  page,
  other,
}) => {
  await signIn(page, ada);
  for (const kind of ["end_to_end", "server"] as const) {
    const label = `DB password for Kim, ${kind}`;
    await page.goto("/");
    await chooseKind(page, kind);
    await page.getByLabel(t("share.secret")).fill("e2e secret with a name");
    await page.getByLabel(t("share.label")).fill(label);
    await button(page, t("share.submit")).click();
    const { link } = await links(page);
    await expect(page.getByLabel(t("share.label"))).toHaveValue(label);
    await copyLink(page);
    await page.goto("/recent");
    await expect(page.getByRole("link", { name: label }).first()).toBeVisible();

    const seen: string[] = [];
    other.on("response", async (response) => void seen.push(await response.text().catch(() => "")));
    await other.goto(link);
    await button(other, t("open.reveal")).click();
    await expect(revealed(other)).toHaveText("e2e secret with a name");
    await expect(other.getByText("Kim")).toHaveCount(0);
    expect(seen.join("\n")).not.toContain("Kim");
  }
});

test("a lifetime is written as a number and a unit @phone", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret of 90 minutes");
  await page.getByLabel(t("share.ttl")).selectOption({ label: t("share.ttl.custom") });
  await button(page, t("share.submit")).click();
  const count = page.getByLabel(t("lifetime.count"));
  await expect(page.getByRole("alert")).toContainText(t("share.ttl.number"));
  await expect(count).toBeFocused();
  await expectAccessible(page);
  await count.fill("5000");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await page.getByLabel(t("lifetime.unit")).selectOption("day");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(/^\d+ days at most/);
  await count.fill("90");
  await page.getByLabel(t("lifetime.unit")).selectOption("minute");
  await expect(page.getByText(/^until \w{3}\b.* \d{1,2}:\d\d$/)).toBeVisible();
  await button(page, t("share.submit")).click();
  await links(page);
  await expect(card(page, t("receipt.facts"))).toContainText("1 hour 30 minutes");
});

test("a passphrase of words is drawn, shown, copied and drawn again @phone", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret behind words");
  await unfold(page, "passphrase");
  await button(page, t("share.passphrase.generate")).click();
  const result = page.getByLabel(t("phrase.result"));
  await expect(result).toHaveText(/^[a-z]+(-[a-z]+){6}$/);
  const field = page.getByRole("textbox", { name: t("share.passphrase") });
  const first = await result.innerText();
  await expect(field).toHaveValue(first);
  await button(page, t("generate.again")).click();
  await expect(result).not.toHaveText(first);
  const drawn = await result.innerText();
  await expect(field).toHaveValue(drawn);
  await expectAccessible(page);
  await button(page, t("phrase.copy")).click();
  await expect.poll(() => clipboard(page)).toBe(drawn);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expect(page.getByRole("textbox", { name: t("phrase.result") })).toHaveValue(drawn); // or it would be lost to who did not copy it
  await expect(openEndToEnd(link)).rejects.toThrow(/403/);
  expect(new TextDecoder().decode((await openEndToEnd(link, drawn)).body)).toBe("e2e secret behind words");
});

test("a drawn passphrase that was changed is not shown with the link", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret behind other words");
  await unfold(page, "passphrase");
  await button(page, t("share.passphrase.generate")).click();
  await expect(page.getByLabel(t("phrase.result"))).toHaveText(/^[a-z]+(-[a-z]+){6}$/);
  await page.getByRole("textbox", { name: t("share.passphrase") }).fill("words of my own");
  await button(page, t("share.submit")).click();
  await links(page);
  await expect(page.getByRole("textbox", { name: t("phrase.result") })).toHaveCount(0);
});

test("a generated secret is what the recipient gets", async ({ page, other }) => {
  await page.goto("/");
  const result = page.getByLabel(t("generate.result"));
  await tab(page, "generate").click();
  await expect(result).toHaveText(/^[0-9A-Za-z]{20}$/);
  const first = await result.innerText();
  await button(page, t("generate.again")).click();
  await expect(result).not.toHaveText(first);
  await page.getByRole("slider", { name: t("generate.length") }).fill("32");
  await page.getByLabel(t("generate.symbols")).check();
  await expect(result).toHaveText(/^\S{32}$/);

  await page.getByText(t("generate.kind.words"), { exact: true }).click();
  await expect(result).toHaveText(/^[a-z]+(-[a-z]+){6}$/);
  const words = await result.innerText();
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expect(page.getByRole("textbox", { name: t("result.value") })).toHaveValue(words);

  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText(words);
});

test("all of it works with the keyboard", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel(t("share.secret")).focus();
  await page.keyboard.type("e2e secret by keys");
  await page.keyboard.press("Control+Enter");
  const { link } = await links(page);
  await expect(heading(page, t("receipt.fresh.title"))).toBeFocused();

  await page.goto("/about");
  await page.goto(link);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: t("app.skip") })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByText(t("encryption.more"), { exact: true })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(button(page, t("open.reveal"))).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(revealed(page)).toHaveText("e2e secret by keys");
  await expect(heading(page, t("open.revealed"))).toBeFocused();
});

test("a key that is pressed while the page appears keeps its focus", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret by an early key" });
  await page.addInitScript(() => {
    // The observer runs after the button is there and before the page's effects do.
    const observer = new MutationObserver(() => {
      const button = document.querySelector<HTMLElement>("form button[type=submit]");
      if (button) {
        observer.disconnect();
        dispatchEvent(new KeyboardEvent("keydown", { key: "Tab" }));
        button.focus();
        setTimeout(() => document.body.setAttribute("data-settled", ""), 500);
      }
    });
    observer.observe(document, { childList: true, subtree: true });
  });
  await page.goto(`/s#${key}`);
  await expect(page.locator("body[data-settled]")).toBeVisible();
  await expect(button(page, t("open.reveal"))).toBeFocused();
});

test("a form that cannot be sent says why @check", async ({ page }) => {
  await page.goto("/");
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("share.empty"));
  const box = page.getByLabel(t("share.secret"));
  await expect(box).toBeFocused();
  await expect(box).toHaveAttribute("aria-invalid", "true");
  // More bytes than the limit, even before the policy is loaded. The fewer characters, the sooner a browser has laid them out.
  await box.fill("€".repeat((1 << 20) / 3 + 1), { timeout: 60_000 });
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("share.too_large", { over: "" }));
});

test("a lost connection is reported and loses nothing @check", async ({ page, context, expected }) => {
  expected.push(/ERR_INTERNET_DISCONNECTED/);
  await page.goto("/");
  const box = page.getByLabel(t("share.secret"));
  await box.fill("e2e secret without a network");
  await page.waitForLoadState("networkidle");
  await context.route("**/hush.v1.SecretService/ConcealSecret", (route) => route.abort("internetdisconnected"));
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toHaveText(t("share.lost"));
  await expect(box).toHaveValue("e2e secret without a network");
  await context.unrouteAll();
  await button(page, t("share.submit")).click();
  await links(page);
});
