/* Asking for a secret: the form, what leaves the device, what it keeps, and the account's list. */
import { parse } from "../src/endtoend/link";
import type { Asked } from "../src/requests/card";
import { openCollection } from "../src/requests/collection";
import { collectKeys } from "../src/requests/keys";
import { answer } from "./asked";
import { ada, button, card, expect, expectAccessible, heading, type Page, signIn, speak, test } from "./fixtures";
import { settle } from "./pages";
import { base64, text as textOf } from "./sealed";
import { mailTo, rpc } from "./service";
import { change, expectNone, requests as recorded, tab, unfold } from "./shareform";
import { t } from "./texts";

const title = (page: Page) => page.getByRole("textbox", { name: t("ask.title"), exact: true });
const note = (page: Page) => page.getByRole("textbox", { name: new RegExp(`^${t("ask.note")}`) });
const collectPlace = /\/c#[0-9a-z]{31}[0-9A-Za-z]{43}$/;

/** openAsk signs ada in and opens the tab. */
async function openAsk(page: Page): Promise<void> {
  await signIn(page, ada);
  await page.goto("/");
  await tab(page, "ask").click();
  await expect(title(page)).toBeVisible();
}

/** send sends the form, and returns the fragment of the collect link that it leads to. */
async function send(page: Page): Promise<string> {
  await button(page, t("share.submit")).click();
  await expect(page).toHaveURL(collectPlace);
  return new URL(page.url()).hash.slice(1);
}

/** Found is a request as its requester's device sees it. */
interface Found {
  secret: Uint8Array;
  requestKey: string;
  asked: Asked;
}

/** find collects a request as another client would. */
async function find(place: string): Promise<Found> {
  const link = parse(place);
  if (typeof link === "string") {
    throw new Error(`${place}: got a link that is ${link}, want a whole one`);
  }
  const keys = await collectKeys(link.secret);
  const { collection } = await rpc<{ collection: { card: string; linkBox: string; requestKey: string } }>(
    "RequestService/GetCollection",
    { collectKey: link.key, collectProof: base64(keys.proof) },
  );
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));
  const asked = await openCollection(keys, bytes(collection.linkBox), bytes(collection.card));
  return { secret: link.secret, requestKey: collection.requestKey, asked };
}

/** row finds the row of a request in a list. */
const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

test("who may not ask has no tab, and who may once signed in is told so", async ({ page, other }) => {
  const accounts = { requests: "REQUESTS_ACCOUNTS" };
  await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, ...accounts }));
  await page.goto("/");
  await tab(page, "ask").click();
  await expect(page.getByText(t("ask.signin"))).toBeVisible();
  await expectAccessible(page);
  await expect(page.locator("main").getByRole("link", { name: t("app.signin") })).toHaveAttribute(
    "href",
    "/signin?next=%2F%23ask",
  );

  for (const policy of [{ requests: "REQUESTS_OFF" }, { ...accounts, signIn: false }]) {
    await change(other, "SystemService/GetPolicy", (answer) => ({ ...answer, ...policy }));
    await other.goto("/");
    await settle(other);
    await expect(tab(other, "generate")).toBeVisible();
    await expect(tab(other, "ask"), JSON.stringify(policy)).toHaveCount(0);
    await other.unroute("**/hush.v1.SystemService/GetPolicy");
  }
  await change(other, "SystemService/GetPolicy", (answer) => ({ ...answer, requests: "REQUESTS_ANYONE" }));
  await other.goto("/");
  await tab(other, "ask").click();
  await expect(title(other)).toBeVisible();
  await expect(other.locator("button.chip", { hasText: t("share.more") })).toHaveCount(0);
});

test("the form says beside its fields what is wrong @phone", async ({ page }) => {
  await openAsk(page);
  await button(page, t("share.submit")).click();
  await expect(page.getByText(t("ask.title.missing"))).toBeVisible();
  await expect(title(page)).toBeFocused();
  await unfold(page, "more");
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await title(page).fill("x".repeat(202));
  await expect(page.getByText(t("ask.title.missing"))).toHaveCount(0);
  await note(page).press("Control+Enter");
  await expect(page.getByText(t("ask.too_long.other", { count: "2" }))).toBeVisible();
  await title(page).fill("x".repeat(200));
  await note(page).fill("x".repeat(2001));
  await note(page).press("Control+Enter");
  await expect(page.getByText(t("ask.too_long.one", { count: "1" }))).toBeVisible();
  await expect(note(page)).toBeFocused();
  await note(page).fill("");
  const answers = page.getByLabel(t("ask.answers"));
  for (const wrong of ["", "0", "101", "1.5", "ten"]) {
    await answers.fill(wrong);
    await answers.press("Enter");
    await expect(answers, wrong).toHaveAccessibleDescription(new RegExp(t("ask.answers.wrong", { most: "100" })));
    await expect(answers).toBeFocused();
  }
  await answers.fill("٤");
  await expect(answers).not.toHaveAttribute("aria-invalid");
  await tab(page, "generate").click();
  await tab(page, "ask").click();
  await expect(answers, "the draft is kept").toHaveValue("٤");
  await expect(title(page), "the draft is kept").toHaveValue("x".repeat(200));
});

test("asking leads to the request, and nothing that it hides leaves the device @check", async ({ page, context }) => {
  const sent = recorded(context);
  await openAsk(page);
  await title(page).fill("\u202eDeploy key\tfor  canary-title\u200f ");
  await note(page).fill("canary-note one\r\ntwo\u2066");
  await page.getByLabel(t("ask.answers")).fill("2");
  await page.getByLabel(t("ask.accepted")).selectOption("text");
  await page.getByLabel(t("ask.ttl")).selectOption(String(86400));
  const place = await send(page);
  await settle(page);
  const { secret, asked } = await find(place);
  expect(asked.card).toMatchObject({
    title: "Deploy key for canary-title",
    note: "canary-note one\ntwo",
    kinds: ["text"],
    answers: 2,
  });
  expect(Math.abs(asked.card.latest - Date.now() / 1000 - 86400)).toBeLessThan(120);
  await expectNone(sent, "canary-title", "canary-note", secret, asked.secret, place.slice(31));
  const state = await page.evaluate(() => JSON.stringify([history.state, document.title, { ...localStorage }]));
  expect(state).not.toMatch(new RegExp(`canary|${place.slice(31)}`));
});

test("the account's list shows what waits, with the titles of this device, and closes @phone", async ({
  page,
  other,
}) => {
  const name = `Key of the list ${Math.random()}`;
  await openAsk(page);
  await title(page).fill(name);
  await page.getByLabel(t("ask.answers")).fill("3");
  const place = await send(page);
  const { requestKey, asked } = await find(place);

  await page.goto("/account/requests");
  const own = row(page, name);
  await expect(own).toContainText(t("requests.state.open"));
  await expect(own).toContainText(t("requests.answered", { answered: "0", answers: "3" }));
  await expect(own).toContainText(t("requests.key.here"));
  await expect(card(page, t("requests.device")), "nothing was asked for without the account").toHaveCount(0);
  await expect(page.getByText(t("requests.device.text"))).toBeVisible();
  await answer(requestKey, asked, textOf("e2e secret"), "");
  await page.reload();
  await expect(own).toContainText(t("requests.waiting.one", { count: "1" }));
  await expect(own).toContainText(t("requests.answered", { answered: "1", answers: "3" }));
  await expect(
    page.getByRole("button", { name: new RegExp(`^${t("app.account_menu")}.*${t("app.requests")}`) }),
  ).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await own.getByRole("link", { name }).click();
  await expect(page).toHaveURL(new RegExp(`/c#${place}$`));

  // Another device has no titles, and no key.
  await signIn(other, ada);
  await other.goto("/account/requests");
  await expect(row(other, t("requests.key.saved")).first()).toBeVisible();
  await expect(row(other, name)).toHaveCount(0);

  await page.goto("/account/requests");
  await button(own, t("requests.close.named", { name })).click();
  const dialog = page.getByRole("dialog", { name: t("requests.close.title") });
  await dialog.getByLabel(t("requests.close.burn")).check();
  await expectAccessible(page);
  await button(dialog, t("requests.close.action")).click();
  await expect(own).toContainText(t("requests.state.closed"));
  await expect(own).not.toContainText(t("requests.waiting.one", { count: "1" }));
  await page.reload();
  await expect(own).toContainText(t("requests.state.closed"));
  await expect(own.getByRole("button")).toHaveCount(0);
});

test("the menu counts anew when answers come, are opened or burned, and a request is closed", async ({ page }) => {
  const answers = 10 + Math.floor(Math.random() * 90); // tells this request from the others of the account, and of another try
  await change(page, "RequestService/ListRequests", (list) => ({
    ...list,
    requests: ((list.requests ?? []) as unknown as { answers: number }[]).filter((one) => one.answers === answers),
  }));
  await openAsk(page);
  await title(page).fill("Counted");
  await page.getByLabel(t("ask.answers")).fill(String(answers));
  const { requestKey, asked } = await find(await send(page));
  const counted = (count: number) => page.getByRole("button", { name: `${t("app.requests")}: ${count}` });
  for (const text of ["e2e secret one", "e2e secret two", "e2e secret three"]) {
    await answer(requestKey, asked, textOf(text), "");
  }
  await expect(counted(3)).toBeVisible();
  await button(page, t("collect.open.named", { number: "1" })).click();
  await button(page, t("collect.opening.open")).click();
  await expect(counted(2)).toBeVisible();
  await button(page, t("collect.revealed.done")).click();
  await button(page, t("collect.burn.named", { number: "2" })).click();
  await button(page.getByRole("dialog"), t("receipt.answer.burn")).click();
  await expect(counted(1)).toBeVisible();
  await button(page, t("collect.close")).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("collect.close.burn")).check();
  await button(dialog, t("collect.close")).click();
  await expect(page.getByRole("button", { name: new RegExp(`${t("app.requests")}: `) })).toHaveCount(0);
});

test("an answer is mailed where that was asked for", async ({ page }) => {
  await openAsk(page);
  await title(page).fill("Mailed");
  await unfold(page, "more");
  await page.getByLabel(t("ask.notify")).check();
  const { requestKey, asked } = await find(await send(page));
  await answer(requestKey, asked, textOf("e2e secret"), "");
  await mailTo(ada.address, "answer");
});

test("a browser that stores nothing still asks, and says so", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, "indexedDB", {
      get: () => {
        throw new DOMException("", "SecurityError");
      },
    });
  });
  await openAsk(page);
  await title(page).fill("Kept nowhere");
  await send(page);
  await expect(page.getByRole("status").filter({ hasText: t("ask.unkept") })).toBeAttached();
  await page.goto("/account/requests");
  await expect(row(page, t("requests.key.saved")).first()).toBeVisible();
});

test("a link that was not stored is shown to a visitor who has left the form", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, "indexedDB", {
      get: () => {
        throw new DOMException("", "SecurityError");
      },
    });
  });
  for (const leave of [
    () => tab(page, "generate").click(),
    () => page.getByRole("link", { name: t("app.about") }).click(),
  ]) {
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/hush.v1.RequestService/CreateRequest", async (route) => {
      await late;
      await route.continue();
    });
    await openAsk(page);
    await title(page).fill("Left too soon");
    const asked = page.waitForRequest("**/CreateRequest");
    await button(page, t("share.submit")).click();
    await asked;
    await leave();
    await expect(title(page)).toHaveCount(0);
    answer();
    await expect(page).toHaveURL(collectPlace);
    await expect(page.getByRole("status").filter({ hasText: t("ask.unkept") })).toBeAttached();
    await page.unrouteAll();
  }
});

test("the requests of an account are in its menu also when no new ones are made", async ({ page }) => {
  await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, ...{ requests: "REQUESTS_OFF" } }));
  await signIn(page, ada);
  await page.goto("/account");
  await settle(page);
  const places = page.getByRole("navigation", { name: t("app.account_menu") });
  await expect(places.getByRole("link", { name: t("app.requests") })).toBeVisible();
  await page.getByRole("button", { name: new RegExp(`^${t("app.account_menu")}`) }).click();
  await page.getByRole("menuitem", { name: t("app.requests") }).click();
  await expect(page).toHaveURL(/\/account\/requests$/);
});

test("a page of the list that was asked for before a close does not undo it", async ({ page }) => {
  const name = `Closed meanwhile ${Math.random()}`;
  await openAsk(page);
  await title(page).fill(name);
  await send(page);
  await page.goto("/account/requests");
  const own = row(page, name);
  await expect(own).toContainText(t("requests.state.open"));
  let answer = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let answered = () => {};
  const done = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const fetched = new Promise<void>((resolve) => {
    void page.route("**/hush.v1.RequestService/ListRequests", async (route) => {
      const old = await route.fetch();
      resolve();
      await late;
      await route.fulfill({ response: old });
      answered();
    });
  });
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await fetched;
  await button(own, t("requests.close.named", { name })).click();
  await button(page.getByRole("dialog"), t("requests.close.action")).click();
  await expect(own).toContainText(t("requests.state.closed"));
  answer();
  await done;
  await settle(page);
  await expect(own).toContainText(t("requests.state.closed"));
  await expect(own.getByRole("button")).toHaveCount(0);
});

test("what was asked for without an account is on the page of this device, and an account's is not", async ({
  page,
}) => {
  await page.goto("/recent");
  await settle(page);
  await page.evaluate(async () => {
    const put = { key: "0".repeat(31), place: `${"0".repeat(31)}${"A".repeat(43)}`, title: "Of this device" };
    const times = { created: Date.now(), ends: Date.now() + 86400000 };
    await new Promise((resolve) => {
      const opening = indexedDB.open("hush.requests", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("requests", { keyPath: "key" });
      opening.onsuccess = () => {
        const all = opening.result.transaction("requests", "readwrite");
        all.objectStore("requests").put({ ...put, ...times });
        all.objectStore("requests").put({ ...put, ...times, key: "1".repeat(31), title: "Of an account", id: "00" });
        all.objectStore("requests").put({ ...put, ...times, key: "2".repeat(31), title: "Long over", ends: 1 });
        all.oncomplete = resolve;
      };
    });
  });
  await page.reload();
  await expect(page.getByRole("link", { name: "Of this device" })).toBeVisible();
  await expect(page.getByText("Of an account")).toHaveCount(0);
  await expect(page.getByText("Long over")).toHaveCount(0);
  // A clock may be wrong: what it hides is still there.
  const keys = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const opening = indexedDB.open("hush.requests", 1);
        opening.onsuccess = () => {
          const all = opening.result.transaction("requests").objectStore("requests").getAllKeys();
          all.onsuccess = () => resolve(all.result);
        };
      }),
  );
  expect(keys).toEqual(["0", "1", "2"].map((digit) => digit.repeat(31)));
  await expectAccessible(page);
});

test("the form fits a narrow screen in languages of both directions", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  for (const language of ["ar", "de"]) {
    await speak(page, language);
    await signIn(page, ada);
    await page.goto("/");
    await page.locator(".segmented-options").first().locator("label").last().click();
    await expect(page.locator("#main input.input").first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.goto("/account/requests");
    await settle(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
});

test("the way back from an empty list leads to the form that asks", async ({ page }) => {
  await signIn(page, ada);
  await change(page, "RequestService/ListRequests", () => ({}));
  await page.goto("/account/requests");
  await expect(page.getByText(t("requests.empty"))).toBeVisible();
  await page.getByRole("link", { name: t("requests.ask") }).click();
  await expect(heading(page, t("requests.ask"))).toBeFocused();
  await expect(page).toHaveURL(/\/#ask$/);
  await expect(title(page)).toBeVisible();
});

test("the tab has a heading and an address of its own, and keeps the focus", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/");
  const radio = (mode: "text" | "generate" | "ask") => page.getByRole("radio", { name: t(`share.mode.${mode}`) });
  await radio("generate").focus();
  await page.keyboard.press("ArrowRight");
  await expect(heading(page, t("requests.ask"))).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(`^${t("requests.ask")}`));
  await expect(page.getByText(t("share.lead"))).toHaveCount(0);
  await expect(radio("ask")).toBeFocused();
  await expect(page).toHaveURL(/\/#ask$/);
  await expectAccessible(page);

  await page.reload();
  await expect(title(page)).toBeVisible();
  await expect(heading(page, t("requests.ask"))).toBeVisible();
  await page.getByRole("link", { name: t("app.about") }).click();
  await expect(heading(page, t("requests.ask"))).toHaveCount(0);
  await page.goBack();
  await expect(title(page)).toBeVisible();
  await expect(page).toHaveURL(/\/#ask$/);

  await radio("ask").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(radio("generate")).toBeFocused();
  await expect(page).toHaveURL(/\/$/);
  await tab(page, "ask").click();
  await expect(page).toHaveURL(/\/#ask$/);
  await page.locator(".header .brand").click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
  await expect(radio("text")).toBeChecked();
});

test("an address of a tab that is not there shows the form that shares", async ({ page }) => {
  await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, ...{ requests: "REQUESTS_OFF" } }));
  await page.goto("/#ask");
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(page.getByLabel(t("share.secret"))).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
});

for (const [name, changed] of Object.entries<(request: object) => object>({
  "another domain": (request) => ({ ...request, shareDomain: "thief.example" }),
  "another number of answers": (request) => ({ ...request, answers: 20 }),
})) {
  test(`an answer with ${name} gives no link`, async ({ page }) => {
    await change(page, "RequestService/CreateRequest", (one) => ({ ...one, request: changed(one.request ?? {}) }));
    await openAsk(page);
    await title(page).fill("Of a lying server");
    await button(page, t("share.submit")).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expect(title(page)).toHaveValue("Of a lying server");
    await expect(page).toHaveURL(/\/#ask$/);
  });
}
