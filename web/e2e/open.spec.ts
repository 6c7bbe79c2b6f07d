import type { Locator, Page } from "@playwright/test";
import { button, clipboard, expect, expectAccessible, heading, openedTitle, revealed, test, url } from "./fixtures";
import { seal, text } from "./sealed";
import { conceal, kinds, reveal } from "./service";
import { passphrase, unfold } from "./shareform";
import { t } from "./texts";

test("a wrong passphrase says how many tries are left before a pause, and the right one opens @phone @check", async ({
  page,
}) => {
  const { key } = await conceal({ secret: "e2e secret behind a passphrase", passphrase: "open sesame" });
  await page.goto(`/s#${key}`);
  const field = page.getByLabel(t("open.passphrase"), { exact: true });
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toContainText(t("open.passphrase.missing"));
  for (const left of ["4", "3"]) {
    await field.fill("closed sesame");
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("alert")).toContainText(t("open.passphrase.wrong.other", { count: left }));
    await expect(field).toBeFocused();
  }
  await field.fill("open sesame");
  await page.keyboard.press("Enter");
  await expect(revealed(page)).toHaveText("e2e secret behind a passphrase");
});

test("too many wrong passphrases lock the secret and leave it", async ({ page }) => {
  const { key, receipt } = await conceal({ secret: "e2e secret that is guessed", passphrase: "open sesame" });
  await page.goto(`/s#${key}`);
  const field = page.getByLabel(t("open.passphrase"), { exact: true });
  const locked = page.getByRole("alert").filter({ hasText: t("open.locked").split("{")[0] });
  await expect(async () => {
    await field.fill("closed sesame");
    await button(page, t("open.reveal")).click();
    await expect(locked).toBeVisible({ timeout: 500 });
  }).toPass();
  await field.fill("open sesame");
  await button(page, t("open.reveal")).click();
  await expect(locked).toBeVisible();
  expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
});

test("mangled links still open", async ({ page, expected }) => {
  expected.push(/status of 404 .*\/secret\/[0-9a-z]{31}\/\)$/); // the server has no such path, and yet the link opens
  const { key, receipt } = await conceal({ secret: "e2e secret behind a mended link" });
  for (const link of [
    `/s#${key}.`,
    `/s#${key}).`,
    `/s#${key}>,`,
    `/s#${key}?utm_source=mail&utm_medium=x`,
    `/s?utm_source=mail#${key}`,
    `/s#${key}%20`,
    `/secret/${key}`,
    `/secret/${key}/`,
    `/secret/${key}.`,
    `/secret/${key}?utm_source=mail&fbclid=x`,
    `/secret/${key}#utm_source=mail`,
  ]) {
    await page.goto("about:blank");
    await page.goto(link);
    await expect(button(page, t("open.reveal")), link).toBeVisible();
  }
  expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret behind a mended link");
});

test("a link without its key is completed by hand", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret by hand" });
  await page.goto(`/s#${key.slice(0, 20)}`);
  await expect(heading(page, t("open.bad.title"))).toBeVisible();
  await button(page, t("ask.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("ask.none"));
  await page.getByLabel(t("ask.link"), { exact: true }).fill("nothing");
  await button(page, t("ask.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("open.bad.title"));
  await page.getByLabel(t("ask.link"), { exact: true }).fill(` <${url}/s#${key}>. `);
  await button(page, t("ask.submit")).click();
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret by hand");
});

// A mail program, a scanner or an extension opens the link first, waits, and
// clicks every button with a script.
test("nothing is consumed without a person @check", async ({ page, request }) => {
  const { key, receipt } = await conceal({ secret: "e2e secret that waits" });
  for (const path of [`/secret/${key}`, `/s?x=${key}`]) {
    for (const name of ["Sec-Purpose", "Purpose", "X-Moz"]) {
      const headers = { [name]: "prefetch;prerender" };
      expect((await request.get(path, { headers })).status()).toBeLessThan(500);
      await request.head(path, { headers });
    }
  }
  const reveals: string[] = [];
  page.on("request", (sent) => {
    if (/RevealSecret|\/api\//.test(sent.url())) {
      reveals.push(sent.url());
    }
  });
  await page.clock.install();
  await page.goto(`/secret/${key}`);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  // This fires every timer of the next ten minutes.
  await page.clock.runFor("10:00");
  await pressWithScripts(page);
  await page.clock.runFor("10:00");
  await page.waitForLoadState("networkidle");
  expect(reveals).toEqual([]);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
  await page.reload();
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret that waits");
});

/** pressWithScripts presses every button and sends every form as a script can. */
async function pressWithScripts(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const element of document.querySelectorAll<HTMLElement>("main button")) {
      element.click();
      for (const kind of ["pointerdown", "mousedown", "mouseup", "click"]) {
        element.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true }));
      }
      for (const kind of ["keydown", "keypress", "keyup"]) {
        element.dispatchEvent(new KeyboardEvent(kind, { key: "Enter", bubbles: true, cancelable: true }));
      }
    }
    for (const form of document.querySelectorAll("form")) {
      form.requestSubmit();
      form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }));
    }
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
  await page.waitForLoadState("networkidle");
}

test("a page that is prerendered asks for nothing that consumes", async ({ page, context }) => {
  const { key, receipt } = await conceal({ secret: "e2e secret that is prerendered" });
  const rules = JSON.stringify({ prerender: [{ urls: [`/secret/${key}`], eagerness: "immediate" }] });
  await context.route("**/speculate", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<title>x</title><link rel="prefetch" href="/secret/${key}"><script type="speculationrules">${rules}</script>`,
    }),
  );
  const asked = page.waitForRequest(`**/secret/${key}`);
  await page.goto("/speculate");
  await asked;
  await page.waitForLoadState("networkidle");
  expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
  expect(await reveal(key)).toBe("e2e secret that is prerendered");
});

for (const [way, leave] of Object.entries<(page: Page) => Promise<unknown>>({
  "another address": (page) => page.goto("/about"),
  "a link of the page": (page) => page.getByRole("link", { name: t("app.about") }).click(),
  "another site": (page) => page.goto("about:blank"),
})) {
  test(`back and forward never show the secret again, after ${way} @check`, async ({ page }) => {
    const { key } = await conceal({ secret: "e2e secret that was left" });
    await page.goto("/about");
    await page.goto(`/s#${key}`);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret that was left");
    await leave(page);
    await page.goBack();
    await expectOpened(page, t("open.cleared.title"));
    await expectNowhere(page, "e2e secret that was left");
    await page.goBack();
    await page.goForward();
    await expectOpened(page, t("open.cleared.title"));
    await expectNowhere(page, "e2e secret that was left");
    await page.reload();
    await expectOpened(page);
  });
}

/** expectOpened expects that the page says when a secret was opened there, or has another heading that is given. */
async function expectOpened(page: Page, other = ""): Promise<void> {
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText(other ? new RegExp(`${openedTitle.source}|^${other}$`) : openedTitle);
}

test("a reload says when the secret was opened here, and has nothing of its link @phone @check", async ({ page }) => {
  for (const path of ["/s#", "/secret/"]) {
    const { key } = await conceal({ secret: "e2e secret of this morning" });
    await page.goto(path + key);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret of this morning");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    await expectOpened(page);
    await expect(page.getByText(t("opened.text"))).toBeVisible();
    await expectAccessible(page);
    expect(asked.filter((address) => address.includes("RevealSecret"))).toEqual([]);
    const state = await page.evaluate(() => history.state);
    expect(Object.keys(state).sort()).toEqual(["id", "opened"]);
    expect(JSON.stringify(state)).not.toContain(key);
    // On another day it says which.
    const opened = new Date(Date.now() - 36 * 3_600_000);
    await page.evaluate((opened) => history.replaceState({ ...history.state, opened }, ""), opened.getTime());
    await page.reload();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      new RegExp(`^${t("opened.title.day", { date: `.*${opened.getFullYear()}.*` })}$`),
    );
    // The same place opens another link.
    const next = await conceal({ secret: "e2e secret of this evening" });
    await page.goto(path + next.key);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret of this evening");
  }
  await page.goto("/s");
  await expect(heading(page, t("open.bad.title"))).toBeVisible();
});

/** expectNowhere expects that the page does not contain text anywhere. */
async function expectNowhere(page: Page, text: string): Promise<void> {
  expect(await page.content()).not.toContain(text);
  expect(await page.evaluate(() => JSON.stringify(history.state) + document.title)).not.toContain(text);
}

test("a page from the browser's memory shows nothing", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret that was frozen" });
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toBeVisible();
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
  await expectNowhere(page, "e2e secret that was frozen");
});

test("a page in the background forgets after five minutes", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret in the background" });
  await page.clock.install();
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toBeVisible();
  await page.evaluate(hide);
  await page.clock.runFor("04:50");
  await expect(revealed(page)).toBeVisible();
  await page.clock.runFor("00:20");
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
  await expectNowhere(page, "e2e secret in the background");
});

test("a page that is in the background when the answer arrives forgets it, too", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret that came late" });
  await page.clock.install();
  await page.goto(`/s#${key}`);
  await page.route("**/RevealSecret", async (route) => {
    await page.evaluate(hide);
    await route.continue();
  });
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toBeVisible();
  await page.clock.runFor("05:10");
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
  await expectNowhere(page, "e2e secret that came late");
});

/** hide runs in a page and makes it a background page. */
function hide(): void {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

test("the page says through which host a secret came, and how to check that, before it is opened @phone @check", async ({
  page,
}) => {
  const { key } = await conceal({ secret: "e2e secret of an unknown sender" });
  await page.goto(`/s#${key}`);
  const { host, origin } = new URL(url);
  await expect(page.getByText(t("open.through", { host }), { exact: true })).toBeVisible();
  const how = page.getByText(t("open.address.text", { address: origin }), { exact: true });
  await expect(how).toBeHidden();
  await page.getByText(t("open.address"), { exact: true }).click();
  await expect(how).toBeVisible();
  await expectAccessible(page);
  const card = await page.locator("section.card").boundingBox();
  const reveals = await button(page, t("open.reveal")).boundingBox();
  const view = page.viewportSize();
  expect(card?.width).toBeLessThanOrEqual(512);
  expect((card?.x ?? 0) + (card?.width ?? 0) / 2, "the card is in the middle").toBeCloseTo((view?.width ?? 0) / 2, -2);
  expect(reveals?.width, "the button has the card's width").toBeGreaterThan((card?.width ?? 0) - 70);
  await page
    .getByRole("main")
    .getByRole("link", { name: t("share.promises.title") })
    .click();
  await expect(page).toHaveURL(`${url}/about`);
});

test("a text is copied at its corner, and what is done with it stands in order @phone", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e short secret" });
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e short secret");
  await expect(page.getByRole("checkbox"), "no line overflows").toHaveCount(0);
  expect(await page.getByRole("main").getByRole("button").allInnerTexts()).toEqual([
    t("ui.copy"),
    ...[t("open.copy"), t("open.download"), t("reveal.hide"), t("open.clear")],
  ]);
  const text = await revealed(page).boundingBox();
  const corner = await button(page, t("ui.copy")).boundingBox();
  expect(corner?.y).toBeLessThan((text?.y ?? 0) + 20);
  expect(corner?.x).toBeGreaterThan((text?.x ?? 0) + (text?.width ?? 0) - 5);
  await button(page, t("ui.copy")).click();
  await expect(button(page, t("open.copied"))).toBeVisible();
  expect(await clipboard(page)).toBe("e2e short secret");
  if ((page.viewportSize()?.width ?? 0) < 640) {
    const [card, copy] = [page.locator("section.card"), button(page, t("open.copy"))];
    const [outer, inner] = [await card.boundingBox(), await copy.boundingBox()];
    expect(inner?.width).toBeGreaterThan((outer?.width ?? 0) - 70);
  }
  await button(page, t("reveal.hide")).click();
  await expect(revealed(page)).not.toContainText("e2e short");
  await button(page, t("reveal.show")).click();
  await expect(revealed(page)).toHaveText("e2e short secret");
});

test("without its script nothing is asked for that could not be shown", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  const { key, receipt } = await conceal({ secret: "e2e secret that could not be shown" });
  await page.route("**/assets/revealed-*.js", (route) => route.abort());
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByText(t("problem.offline"))).toBeVisible();
  expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
  await page.unroute("**/assets/revealed-*.js");
  await page.reload();
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret that could not be shown");
});

test("the secret is copied, saved and cleared @check", async ({ page }) => {
  const { key } = await conceal({ secret: "e2e secret\twith tabs\nand lines" });
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  await button(page, t("open.copy")).click();
  await expect(button(page, t("open.copied"))).toBeVisible();
  expect(await clipboard(page)).toBe("e2e secret\twith tabs\nand lines");
  await button(page, t("open.clipboard.clear")).click();
  await expect.poll(async () => (await clipboard(page)).trim()).toBe("");

  const saving = page.waitForEvent("download");
  await button(page, t("open.download")).click();
  const saved = await (await saving).createReadStream();
  expect((await saved.toArray()).join("")).toBe("e2e secret\twith tabs\nand lines");

  await button(page, t("open.clear")).click();
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
  await expectNowhere(page, "with tabs");
});

test("unknown, opened and burned links look alike @check", async ({ page }) => {
  const spent = await conceal({ secret: "e2e secret that was opened" });
  await reveal(spent.key);
  const seen: string[] = [];
  for (const key of [spent.key, "0".repeat(31)]) {
    await page.goto("about:blank");
    await page.goto(`/s#${key}`);
    await expect(heading(page, t("open.gone.title"))).toBeVisible();
    seen.push(await page.getByRole("main").innerHTML());
  }
  expect(seen[1]).toBe(seen[0]);
});

declare global {
  interface Window {
    /** The headings and titles that a page showed, one after the other. */
    shown?: string[];
  }
}

/** recordHeadings makes the page record its headings and its titles. */
async function recordHeadings(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shown: string[] = [];
    window.shown = shown;
    const look = () => {
      for (const text of [document.querySelector("h1")?.textContent, document.title.split(" · ")[0]]) {
        if (text && text !== "Hush" && !shown.includes(text)) {
          shown.push(text);
        }
      }
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

// A page that names a secret first and then says that there is none contradicts itself.
for (const [name, there] of [
  ["a secret that waits", true],
  ["a secret that is gone", false],
] as const) {
  test(`until it is known, nothing is said of ${name}`, async ({ page }) => {
    await recordHeadings(page);
    const sealed = await seal(text("e2e secret behind a slow answer"));
    const { key } = await conceal({ secret: "e2e secret behind a slow answer" });
    for (const path of [`/s#${key}`, `/secret/${key}`, `/e#${sealed.fragment}`, `/s#${sealed.fragment}`]) {
      let answer: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const asking = page.waitForRequest("**/GetSecret*");
      await page.route("**/GetSecret*", async (route) => {
        await held;
        await (there ? route.continue() : route.fulfill({ status: 404, json: { code: "not_found" } }));
      });
      await page.goto("about:blank");
      await page.goto(path);
      await asking;
      await expect(heading(page, t("open.checking"))).toBeVisible();
      await expectAccessible(page);
      await expect(button(page, t("open.reveal"))).toHaveCount(0);
      answer();
      const last = there ? t("open.title") : t("open.gone.title");
      await expect(heading(page, last)).toBeVisible();
      await expect(page).toHaveTitle(new RegExp(`^${last}`));
      expect(await page.evaluate(() => window.shown), path).toEqual([t("open.checking"), last]);
      await page.unroute("**/GetSecret*");
    }
  });
}

test("a link that cannot be checked is said to be neither", async ({ page, expected }) => {
  expected.push(/ERR_CONNECTION_RESET/);
  await recordHeadings(page);
  const { key } = await conceal({ secret: "e2e secret out of reach" });
  await page.route("**/GetSecret*", (route) => route.abort("connectionreset"));
  await page.goto(`/s#${key}`);
  await expect(heading(page, t("open.unchecked"))).toBeVisible();
  expect(await page.evaluate(() => window.shown)).toEqual([t("open.checking"), t("open.unchecked")]);
  await page.unroute("**/GetSecret*");
  await button(page, t("ui.retry")).click();
  await expect(button(page, t("open.reveal"))).toBeVisible();
});

test("a revealed text is hidden and shown, by touch and by keyboard, and its lines wrap @phone", async ({
  page,
  isMobile,
}) => {
  const line = `e2e secret ${"with a long line ".repeat(40)}`;
  const { key } = await conceal({ secret: line });
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  const shown = revealed(page);
  await expect(shown).toHaveText(line.trim());
  const hide = button(page, t("reveal.hide"));
  await (isMobile ? hide.tap() : hide.click());
  await expectNowhere(page, "e2e secret");
  await expectAccessible(page);
  await button(page, t("reveal.show")).press("Enter");
  await expect(shown).toHaveText(line.trim());
  await hide.press("Space");
  await expectNowhere(page, "e2e secret");
  await button(page, t("open.copy")).click();
  await expect(button(page, t("open.copied"))).toBeVisible();
  expect(await clipboard(page)).toBe(line);
  await button(page, t("reveal.show")).click();
  const overflows = () => shown.evaluate((element) => element.scrollWidth > element.clientWidth);
  expect(await overflows()).toBe(false);
  await page.getByRole("checkbox", { name: t("reveal.wrap") }).uncheck();
  expect(await overflows()).toBe(true);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "only the text scrolls").toBe(
    true,
  );
  expect(await shown.evaluate((element) => getComputedStyle(element).fontFamily)).toContain("mono");
});

test("a reply is an empty form, and the revealed secret stays", async ({ page, context }) => {
  const { key } = await conceal({ secret: "e2e secret that is answered" });
  await page.goto(`/s#${key}`);
  await button(page, t("open.reveal")).click();
  const opening = context.waitForEvent("page");
  await page.getByRole("link", { name: t("reveal.reply") }).click();
  const reply = await opening;
  await expect(reply).toHaveURL(`${url}/`);
  await expect(reply.getByLabel(t("share.secret"), { exact: true })).toHaveValue("");
  await expectNowhere(reply, "that is answered");
  await expectNowhere(reply, key);
  expect(await reply.evaluate(() => [opener, document.referrer, history.length])).toEqual([null, "", 1]);
  await expect(revealed(page)).toHaveText("e2e secret that is answered");
  await button(page, t("open.clear")).click();
  await page.getByRole("link", { name: t("reveal.reply") }).click();
  await expect(page.getByLabel(t("share.secret"), { exact: true })).toHaveValue("");
  await expectNowhere(page, "that is answered");
});

/** fillWithHalf types text that ends in half of a character, which no encoder takes. */
async function fillWithHalf(field: Locator): Promise<void> {
  await field.evaluate((element) => {
    const input = element as HTMLInputElement;
    input.value = `half ${String.fromCharCode(0xd83d)}`;
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
}

test("a passphrase with half of a character is refused before it is sent", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  const { key } = await conceal({ secret: "e2e secret behind a passphrase", passphrase: "open sesame" });
  await page.goto(`/s#${key}`);
  await fillWithHalf(page.getByLabel(t("open.passphrase"), { exact: true }));
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toHaveText(t("reveal.malformed"));
  expect(sent.filter((address) => address.includes("RevealSecret"))).toEqual([]);
});

test("a text or a passphrase with half of a character is refused before it is sent", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.goto("/");
  const secret = page.getByLabel(t("share.secret"), { exact: true });
  await fillWithHalf(secret);
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toHaveText(t("share.unicode"));
  await expect(secret).toHaveAttribute("aria-invalid", "true");
  await secret.fill("e2e secret that is whole");
  await unfold(page, "passphrase");
  await fillWithHalf(passphrase(page));
  await button(page, t("share.submit")).click();
  await expect(page.getByRole("alert")).toHaveText(t("share.unicode"));
  expect(sent.filter((address) => address.includes("ConcealSecret"))).toEqual([]);
});

test("half of a character in any other form is refused before it is sent", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  await page.goto("/feedback");
  await fillWithHalf(page.getByLabel(t("feedback.message")));
  await button(page, t("feedback.submit")).click();
  await expect(page.getByRole("alert")).toHaveText(t("problem.broken_text"));
  expect(sent.filter((address) => address.includes("ReceiveFeedback"))).toEqual([]);
});
