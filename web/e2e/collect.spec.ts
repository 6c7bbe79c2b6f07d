/* The page of a collect link: what a requester sees of a request, and how each answer is opened once. */
import type { Page } from "@playwright/test";
import { type Answered, ask, file, type Request } from "./asked";
import { brandedHost } from "./environment";
import { button, clipboard, expect, expectAccessible, heading, revealed, speak, test, url } from "./fixtures";
import { base64 } from "./sealed";
import { asked, requests } from "./sent";
import { kinds, rpc } from "./service";
import { t } from "./texts";

/** row finds an answer in the list. */
const row = (page: Page, number: number) =>
  page.locator(".answers > li").filter({ hasText: t("collect.answer", { number: String(number) }) });

const open = (page: Page, number: number) => button(page, t("collect.open.named", { number: String(number) }));

const again = (page: Page, number: number) => button(page, t("collect.again.named", { number: String(number) }));

/** state is the heading with how many answered. */
const state = (page: Page, name: "open" | "full" | "past" | "closed", answered: number, count = 3) =>
  page.getByRole("heading", {
    name: t("collect.state", {
      state: t(`requests.state.${name}`),
      answered: String(answered),
      count: String(count),
    }),
  });

/** collect opens the page of a request, and waits until it shows that. */
async function collect(page: Page, request: Request): Promise<void> {
  await page.goto(request.collectPlace);
  await expect(page.getByText(request.asked.card.title, { exact: true })).toBeVisible();
}

/** expectUnsent expects that no request, and nothing that the browser keeps of the address, holds a secret of the request. */
async function expectUnsent(page: Page, sent: string[], request: Request): Promise<void> {
  expect(asked(sent, "WatchCollection"), "the requests were recorded").toBeGreaterThan(0);
  for (const canary of request.canaries) {
    expect(sent.filter((one) => one.includes(canary))).toEqual([]);
  }
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  for (const canary of [...request.canaries, request.collectKey]) {
    expect(kept).not.toContain(canary);
    expect(await page.title()).not.toContain(canary);
  }
}

test("answers come live, and a text and a file are opened once @phone @check", async ({ page }) => {
  const sent = requests(page);
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  const request = await ask();
  await collect(page, request);
  await expect(state(page, "open", 0)).toBeVisible();
  await expect(page.getByText(t("collect.none"))).toBeVisible();
  await expectAccessible(page);

  const text = await request.answer("e2e secret of an answer");
  await expect(state(page, "open", 1)).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(`^✓ ${t("collect.news")}`));
  const attached = await request.answer(file("clé.pem", "e2e secret file"));
  await expect(row(page, 1)).toContainText(t("collect.text"));
  await expect(row(page, 2)).toContainText("clé.pem");
  await expectAccessible(page);
  expect(await kinds(text.receipt)).not.toContain("KIND_REVEALED");

  await open(page, 1).click();
  await expectAccessible(page);
  expect(asked(sent, "RevealSecret"), "nothing is asked before the press").toBe(0);
  await button(page, t("collect.opening.open")).click();
  await expect(revealed(page)).toHaveText("e2e secret of an answer");
  await expect(heading(page, t("collect.opening.title", { number: "1" }))).toBeFocused();
  await expect(page.getByText(t("collect.revealed.lead", { title: request.asked.card.title }))).toBeVisible();
  expect(await page.title()).not.toContain(request.asked.card.title);
  await expectAccessible(page);
  await expect.poll(() => kinds(text.receipt)).toContain("KIND_DELIVERED");
  await button(page, t("collect.revealed.done")).click();
  await expect(row(page, 1)).toContainText(t("collect.phase.opened"));
  await expect(open(page, 1)).toHaveCount(0);
  expect(await page.content()).not.toContain("secret of an answer");

  await open(page, 2).click();
  await button(page, t("collect.opening.open")).click();
  await expect(revealed(page)).toContainText("clé.pem");
  const saving = page.waitForEvent("download");
  await button(page, t("reveal.file.save")).click();
  const saved = Buffer.concat(await (await (await saving).createReadStream()).toArray());
  expect(saved.toString()).toBe("e2e secret file");
  await button(page, t("collect.revealed.done")).click();
  await expect(row(page, 2)).toContainText(t("collect.phase.opened"));
  await expect.poll(() => kinds(attached.receipt)).toContain("KIND_DELIVERED");

  await page.reload();
  await expect(row(page, 2)).toContainText(t("collect.phase.opened"));
  await expect(page).toHaveURL(url + request.collectPlace);
  await expectUnsent(page, sent, request);
  expect(sent.join().includes("e2e secret")).toBe(false);
  expect(messages.filter((one) => request.canaries.some((canary) => one.includes(canary)))).toEqual([]);
});

test("a wrong passphrase says how many tries are left, and the right one opens the answer", async ({ page }) => {
  const sent = requests(page);
  const request = await ask();
  const made = await request.answer("e2e secret behind a passphrase", "open sesame");
  await collect(page, request);
  await expect(row(page, 1)).toContainText(t("recent.passphrase"));
  await open(page, 1).click();
  const field = page.getByLabel(t("open.passphrase"), { exact: true });
  await button(page, t("collect.opening.open")).click();
  await expect(page.getByRole("alert")).toContainText(t("open.passphrase.missing"));
  expect(asked(sent, "RevealSecret")).toBe(0);
  await field.fill("closed sesame");
  await button(page, t("collect.opening.open")).click();
  await expect(page.getByRole("alert")).toContainText(t("open.passphrase.wrong.other", { count: "4" }));
  // Back to the list and in again: the answer still waits.
  await button(page, t("collect.back")).click();
  await open(page, 1).click();
  await field.fill("open sesame");
  await page.keyboard.press("Enter");
  await expect(revealed(page)).toHaveText("e2e secret behind a passphrase");
  await expect.poll(() => kinds(made.receipt)).toContain("KIND_DELIVERED");
  await expectUnsent(page, sent, request);
  expect(sent.filter((one) => one.includes("sesame"))).toEqual([]);
});

test("an answer is burned, and a request is closed with those that wait", async ({ page, other }) => {
  const request = await ask();
  const made: Answered[] = [];
  for (const text of ["e2e secret one", "e2e secret two"]) {
    made.push(await request.answer(text));
  }
  await collect(page, request);
  await collect(other, request);
  await button(page, t("collect.burn.named", { number: "1" })).click();
  const dialog = page.getByRole("dialog");
  await expectAccessible(page);
  await button(dialog, t("ui.cancel")).click();
  await expect(row(page, 1)).toContainText(t("collect.phase.waiting"));
  await button(page, t("collect.burn.named", { number: "1" })).click();
  await button(dialog, t("receipt.answer.burn")).click();
  await expect(row(page, 1)).toContainText(t("collect.phase.burned"));
  await expect(row(other, 1)).toContainText(t("collect.phase.burned"));
  await expect.poll(() => kinds(made[0]?.receipt ?? "")).toContain("KIND_BURNED");

  await button(page, t("collect.close")).click();
  await dialog.getByLabel(t("collect.close.burn")).check();
  await expectAccessible(page);
  await button(dialog, t("collect.close")).click();
  await expect(state(page, "closed", 2)).toBeVisible();
  await expect(row(page, 2)).toContainText(t("collect.phase.burned"));
  await expect(page.getByLabel(t("collect.request"))).toHaveCount(0);
  await expect(state(other, "closed", 2)).toBeVisible();
});

test("what is burned with a request has no number in its text: more may come before the press", async ({ page }) => {
  const request = await ask();
  const made = [await request.answer("e2e secret one")];
  await collect(page, request);
  await button(page, t("collect.close")).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel(t("collect.close.burn"), { exact: true })).not.toBeChecked();
  await dialog.getByLabel(t("collect.close.burn"), { exact: true }).check();
  made.push(await request.answer("e2e secret two"));
  await button(dialog, t("collect.close")).click();
  for (const { receipt } of made) {
    await expect.poll(() => kinds(receipt)).toContain("KIND_BURNED");
  }
});

test("the request link is offered while the request is open, and the device remembers the collect link on demand", async ({
  page,
}) => {
  const request = await ask();
  await collect(page, request);
  await expect(page.getByLabel(t("collect.request"))).toHaveValue(url + request.requestPlace);
  await button(page, t("result.send")).click();
  const message = page.locator(".message");
  await expect(message).toContainText(url + request.requestPlace);
  await expect(message).not.toContainText(request.asked.card.title);
  await button(page, t("ui.close")).click();
  await button(page, t("collect.keep.copy")).click();
  expect(await clipboard(page)).toBe(url + request.collectPlace);
  await page.bringToFront();
  await button(page, t("collect.remember")).click();
  await expect(page.getByText(t("collect.kept"), { exact: true })).toBeVisible();
  await page.getByRole("link", { name: t("app.about") }).click();
  await page.goBack();
  await button(page, t("collect.forget")).click();
  await expect(page.getByText(t("collect.kept.not"))).toBeVisible();
  // One that the service has forgotten is forgotten here, too.
  await button(page, t("collect.remember")).click();
  await expect(page.getByText(t("collect.kept"), { exact: true })).toBeVisible();
  const body = framed(2, { error: { code: "not_found" } });
  await page.route("**/WatchCollection", (route) => route.fulfill({ contentType: "application/connect+json", body }));
  await page.reload();
  await expect(heading(page, t("collect.unknown.title"))).toBeVisible();
  await button(page, t("collect.forget")).click();
  await expect(button(page, t("collect.forget"))).toHaveCount(0);
  await page.unrouteAll();
  await page.reload();
  await expect(button(page, t("collect.remember"))).toBeVisible();
});

// Whoever alters what the service returns would have the requester pass on a link to a host that reads its secret.
test("a host that only the server names is in no link", async ({ page }) => {
  const request = await ask();
  const thief = "thief.example";
  await page.route("**/hush.v1.SystemService/GetPolicy", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), baseUrl: `https://${thief}` } });
  });
  await collect(page, request);
  await expect(page.getByLabel(t("collect.keep.link"))).toHaveValue(url + request.collectPlace);
  await page.unrouteAll();

  await name(page, request, thief);
  await page.reload();
  await expect(page.getByLabel(t("collect.request"))).toHaveValue(url + request.requestPlace);
  const warning = page.getByRole("alert").filter({ hasText: thief });
  await expect(warning).toBeVisible();
  await expectAccessible(page);
  await button(page, t("collect.remember")).click();
  await expect(page.getByText(t("collect.kept"), { exact: true })).toBeVisible();
  await page.reload();
  await expect(warning, "remembering is no choice of a host").toBeVisible();
  await expect(page.getByLabel(t("collect.request"))).toHaveValue(url + request.requestPlace);
});

test("the link has the host that was chosen on this device, or that the page is on", async ({ page }) => {
  const request = await ask();
  await collect(page, request);
  await button(page, t("collect.remember")).click();
  await expect(page.getByText(t("collect.kept"), { exact: true })).toBeVisible();
  await page.evaluate(
    ([key, domain]) =>
      new Promise((resolve) => {
        const opening = indexedDB.open("hush.requests", 1);
        opening.onsuccess = () => {
          const all = opening.result.transaction("requests", "readwrite");
          const found = all.objectStore("requests").get(key as string);
          found.onsuccess = () => all.objectStore("requests").put({ ...found.result, domain });
          all.oncomplete = resolve;
        };
      }),
    [request.collectKey, brandedHost],
  );
  await name(page, request, brandedHost);
  await page.reload();
  await expect(page.getByLabel(t("collect.request"))).toHaveValue(`http://${brandedHost}${request.requestPlace}`);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await name(page, request, new URL(url).hostname);
  await page.reload();
  await expect(page.getByLabel(t("collect.request"))).toHaveValue(
    `http://${new URL(url).hostname}${request.requestPlace}`,
  );
  await expect(page.getByRole("alert")).toHaveCount(0);
});

/** name has the service name a host for the link of a request. */
async function name(page: Page, request: Request, shareDomain: string): Promise<void> {
  await page.unrouteAll();
  await alter(page, request, (one) => Object.assign(one, { request: { ...(one.request as object), shareDomain } }));
}

test("an answer whose tab died while it was opened is opened again by the same browser alone", async ({
  page,
  other,
  expected,
}) => {
  expected.push(/ERR_CONNECTION_RESET/, /^window: /);
  const request = await ask();
  const made = await request.answer("e2e secret in a tab that dies");
  await page.route("**/RevealSecret", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await collect(page, request);
  await open(page, 1).click();
  await button(page, t("collect.opening.open")).click();
  await expect(page.getByRole("timer")).toBeVisible();
  await expect(button(page, t("collect.back"))).toHaveCount(0);
  const browser = page.context();
  await page.close();
  await collect(other, request);
  await expect(row(other, 1)).toContainText(t("collect.phase.opening"));
  await expect(row(other, 1)).toContainText(t("collect.opening"));
  await expect(open(other, 1)).toHaveCount(0);
  await expect(again(other, 1)).toHaveCount(0);
  expect(await kinds(made.receipt)).toContain("KIND_REVEALED");
  const next = await browser.newPage();
  await collect(next, request);
  await again(next, 1).click();
  await expect(next.getByText(t("collect.opening.again"))).toBeVisible();
  await button(next, t("collect.opening.open")).click();
  await expect(revealed(next)).toHaveText("e2e secret in a tab that dies");
  await expect.poll(() => kinds(made.receipt)).toContain("KIND_DELIVERED");
  await next.reload();
  await expect(row(next, 1)).toContainText(t("collect.phase.opened"));
  await expect(again(next, 1)).toHaveCount(0);
});

test("what is shown stays while the network is away, and goes on afterwards", async ({ page, expected }) => {
  expected.push(/ERR_INTERNET_DISCONNECTED/);
  const request = await ask();
  await request.answer("e2e secret that came before");
  await collect(page, request);
  await expect(open(page, 1)).toBeVisible();
  await page.context().setOffline(true);
  await open(page, 1).click();
  await button(page, t("collect.opening.open")).click();
  await expect(page.getByRole("alert")).toHaveText(t("problem.offline"));
  await button(page, t("collect.back")).click();
  await expect(open(page, 1)).toBeVisible();
  await request.answer("e2e secret that came meanwhile");
  await page.context().setOffline(false);
  await expect(open(page, 2)).toBeVisible();
});

/** One is an answer as the service returns it. */
interface One {
  number: string;
  sealedLink: string;
  secretKey: string;
}

/** Collected has the parts of a collection that the tests alter. */
interface Collected {
  requestKey: string;
  card: string;
  linkBox: string;
  answers: One[];
  [more: string]: unknown;
}

/** alter passes the page what the service returned, altered, in streams that end after that. */
async function alter(page: Page, request: Request, change: (collection: Collected) => void): Promise<void> {
  await page.route("**/WatchCollection", async (route) => {
    const collection = await collected(request);
    change(collection);
    const body = Buffer.concat([framed(0, { collection }), framed(2, {})]);
    await route.fulfill({ contentType: "application/connect+json", body });
  });
}

/** framed returns a message of a stream, as Connect frames it: flags, length, bytes. */
function framed(flags: number, message: object): Buffer {
  const bytes = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** collected is what the service returns of a request. */
async function collected({ collectKey, keys }: Request): Promise<Collected> {
  const call = { collectKey, collectProof: base64(keys.proof) };
  return (await rpc<{ collection: Collected }>("RequestService/GetCollection", call)).collection;
}

/** broken returns bytes with one bit turned. */
function broken(text: string, at = 40): string {
  const bytes = Buffer.from(text, "base64");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString("base64");
}

/** two is a request with two answers that wait. */
async function two(): Promise<{ request: Request; made: Answered[] }> {
  const request = await ask();
  return { request, made: [await request.answer("e2e secret one"), await request.answer("e2e secret two")] };
}

async function expectUnopened(sent: string[], made: Answered[]): Promise<void> {
  for (const { receipt } of made) {
    expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
  }
  expect(asked(sent, "RevealSecret")).toBe(0);
}

test("a card or a link box that is not the link's shows nothing", async ({ page }) => {
  const sent = requests(page);
  const { request, made } = await two();
  const foreign = await ask({ title: "Something else" });
  const theirs = await collected(foreign);
  const changes: Record<string, (one: Collected) => void> = {
    card: (one) => Object.assign(one, { card: broken(one.card) }),
    "card of another request": (one) => Object.assign(one, { card: theirs.card }),
    "link box": (one) => Object.assign(one, { linkBox: broken(one.linkBox) }),
    "link box of another request": (one) => Object.assign(one, { linkBox: theirs.linkBox }),
    "both of another request": (one) => Object.assign(one, { card: theirs.card, linkBox: theirs.linkBox }),
    "no card": (one) => Object.assign(one, { card: "" }),
  };
  for (const [name, change] of Object.entries(changes)) {
    await page.unrouteAll();
    await alter(page, request, change);
    await page.goto("about:blank");
    await page.goto(request.collectPlace);
    await expect(heading(page, t("collect.altered.title")), name).toBeVisible();
    await expect(page.getByText(request.asked.card.title), name).toHaveCount(0);
    await expect(page.getByText("Something else"), name).toHaveCount(0);
    await expect(page.locator(".answers"), name).toHaveCount(0);
  }
  await expectUnopened(sent, made);
});

// An operator who serves one answer twice would have its requester believe that two people agree.
test("an answer that was altered or repeats another is not opened", async ({ page }) => {
  const sent = requests(page);
  const { request, made } = await two();
  const foreign = await ask();
  await foreign.answer("e2e secret for another request");
  const theirs = (await collected(foreign)).answers[0];
  type Change = (first: One, second: One) => Partial<One> | undefined;
  const changes: [string, "repeat" | "altered", Change][] = [
    ["number", "altered", (_, { number }) => ({ number: broken(number, 0) })],
    ["sealed link", "altered", (_, { sealedLink }) => ({ sealedLink: broken(sealedLink) })],
    ["no sealed link", "altered", () => ({ sealedLink: "" })],
    ["sealed link of the other answer", "altered", ({ sealedLink }) => ({ sealedLink })],
    ["answer to another request", "altered", () => theirs],
    ["the same answer twice", "repeat", (first) => first],
    ["the same number with another link", "repeat", ({ number }) => ({ number })],
  ];
  for (const [name, refused, change] of changes) {
    await page.unrouteAll();
    await alter(page, request, ({ answers: [first, second] }) => {
      if (first && second) {
        Object.assign(second, change(first, second));
      }
    });
    await page.goto("about:blank");
    await page.goto(request.collectPlace);
    await expect(row(page, 2), name).toContainText(t(`collect.refused.${refused}`));
    await expect(open(page, 2), name).toHaveCount(0);
    await expect(open(page, 1), name).toBeVisible();
  }
  await expectUnopened(sent, made);
});

test("a second answer with the same K is not opened", async ({ page }) => {
  const request = await ask();
  const first = await request.answer("e2e secret that is repeated");
  const second = await request.answer("e2e secret that repeats", "", first.secret);
  await collect(page, request);
  await expect(row(page, 2)).toContainText(t("collect.refused.repeat"));
  await expect(open(page, 1)).toBeVisible();
  await expect(open(page, 2)).toHaveCount(0);
  // It can be burned, as its number is its own.
  await button(page, t("collect.burn.named", { number: "2" })).click();
  await button(page.getByRole("dialog"), t("receipt.answer.burn")).click();
  await expect.poll(() => kinds(second.receipt)).toContain("KIND_BURNED");
  await expect(open(page, 1)).toBeVisible();
  expect(await kinds(first.receipt)).not.toContain("KIND_BURNED");
});

test("an answer whose number stands twice in the list is not burned in place of the other", async ({ page }) => {
  const { request } = await two();
  await alter(page, request, ({ answers: [first, second] }) => {
    if (first && second) {
      second.number = first.number;
    }
  });
  await collect(page, request);
  await expect(row(page, 2)).toContainText(t("collect.refused.repeat"));
  await expect(button(page, t("collect.burn.named", { number: "2" }))).toHaveCount(0);
});

test("the key of another answer opens nothing, and consumes nothing", async ({ page }) => {
  const { request, made } = await two();
  await alter(page, request, ({ answers: [first, second] }) => {
    if (first && second) {
      [first.secretKey, second.secretKey] = [second.secretKey, first.secretKey];
    }
  });
  await collect(page, request);
  await open(page, 1).click();
  await button(page, t("collect.opening.open")).click();
  await expect(page.getByRole("alert")).toContainText(t("collect.opening.moved"));
  await expectAccessible(page);
  for (const { receipt } of made) {
    expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
  }
  await page.unrouteAll();
  await button(page, t("collect.back")).click();
  await page.reload();
  await open(page, 1).click();
  await button(page, t("collect.opening.open")).click();
  await expect(revealed(page)).toHaveText("e2e secret one");
});

test("what was opened is not offered again by older values, and another order opens what it says", async ({ page }) => {
  const { request } = await two();
  const before = await collected(request);
  await collect(page, request);
  await open(page, 1).click();
  await button(page, t("collect.opening.open")).click();
  await expect(revealed(page)).toHaveText("e2e secret one");
  await alter(page, request, (one) => Object.assign(one, before));
  await page.route("**/BurnAnswer", (route) => route.fulfill({ json: { collection: before } }));
  await button(page, t("collect.revealed.done")).click();
  await expect(row(page, 1)).toContainText(t("collect.phase.opened"));
  await button(page, t("collect.burn.named", { number: "2" })).click();
  await button(page.getByRole("dialog"), t("receipt.answer.burn")).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(row(page, 1)).toContainText(t("collect.phase.opened"));
  await expect(open(page, 1)).toHaveCount(0);

  await page.unrouteAll();
  await alter(page, request, ({ answers }) => void answers.reverse());
  await page.reload();
  await open(page, 1).click();
  await button(page, t("collect.opening.open")).click();
  await expect(revealed(page)).toHaveText("e2e secret two");
});

test("a link that is wrong, cut short, unknown or of plain text says so", async ({ page }) => {
  const request = await ask();
  await page.goto(`/c#${request.collectKey}${"1".repeat(43)}`);
  await expect(heading(page, t("endtoend.wrong.title"))).toBeVisible();
  await expect(page.getByText(t("collect.refused"))).toBeVisible();
  await page.goto("about:blank");
  await page.goto(`${request.collectPlace.slice(0, -1)}`);
  await expect(heading(page, t("open.bad.title"))).toBeVisible();
  await page.goto("about:blank");
  await page.goto(`/c#${"0".repeat(31)}${request.collectPlace.slice(-43)}`);
  await expect(heading(page, t("collect.unknown.title"))).toBeVisible();
  await expectAccessible(page);
  await page.goto("about:blank");
  await page.goto(request.collectPlace.replace("#", "%23"));
  await expect(page.getByText(request.asked.card.title, { exact: true })).toBeVisible();
  await expect(page.getByText(t("collect.mangled"))).toBeVisible();
  await page.goto("about:blank");
  await page.goto("/c");
  await page.getByRole("textbox").fill(request.collectPlace.slice(3));
  await page.keyboard.press("Enter");
  await expect(page.getByText(request.asked.card.title, { exact: true })).toBeVisible();
});

test("without WebCrypto the page says so before anything is asked", async ({ page, expected }) => {
  expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  const sent = requests(page);
  await page.goto(`http://${brandedHost}/c#${"0".repeat(31)}${"1".repeat(43)}`);
  await expect(page.getByRole("alert")).toContainText(t("collect.insecure"));
  expect(sent.filter((one) => one.includes("RequestService"))).toEqual([]);
});

test("title and note are plain text, and the page fits 320 px, from right to left, light and dark", async ({
  page,
}) => {
  const title = `<b>bold</b> https://evil.example/login ${"w".repeat(120)}`;
  const request = await ask({ title, note: "line one\nhttps://evil.example" });
  await request.answer(file(`${"long".repeat(50)}.txt`, "e2e secret"), "open sesame");
  await page.setViewportSize({ width: 320, height: 800 });
  await speak(page, "ar");
  await page.goto(request.collectPlace);
  const quote = page.locator("blockquote");
  await expect(quote).toContainText(title);
  await expect(quote.locator("a, b")).toHaveCount(0);
  await expect(page.locator(".answers > li")).toHaveCount(1);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
  ).toBeLessThanOrEqual(0);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
});
