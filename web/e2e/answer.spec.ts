/* The page behind a request's link. */
import { ask, type Request } from "./asked";
import { brandedHost } from "./environment";
import { ada, button, card, expect, expectAccessible, heading, type Page, signIn, test, url } from "./fixtures";
import { hostile } from "./hostile";
import { base64 } from "./sealed";
import { requests } from "./sent";
import { type Answer, change, decoded, fillPassphrase, hand, tab, text } from "./shareform";
import { stored } from "./stored";
import { t } from "./texts";

const field = (page: Page) => page.getByRole("textbox", { name: t("answer.text"), exact: true });
const send = (page: Page) => button(page, t("answer.submit"));
const calls = "**/hush.v1.RequestService/AnswerRequest";

/** arrived waits for the receipt that sending leads to. */
async function arrived(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/r#[0-9a-z]{31}$/);
  await expect(page.getByText("Your answer has arrived")).toBeVisible();
}

/** count returns how many answers a request has. */
async function count(request: Request): Promise<number> {
  return (await request.read()).length;
}

test("a text is answered, and what opens it stays on the devices @phone @check", async ({ page }) => {
  const request = await ask();
  const sent = requests(page);
  const said: string[] = [];
  page.on("console", (message) => void said.push(message.text()));
  await page.goto(request.requestPlace);
  await expect(page.getByText("Deploy key for staging", { exact: true })).toBeVisible();
  await expect(page.getByText("The read-only one.")).toHaveCSS("white-space-collapse", "preserve");
  await expect(page.getByText(t("answer.who.unknown"))).toBeVisible();
  await expectAccessible(page);
  await field(page).fill("e2e answer 👩‍👩‍👧‍👦\n\tof two lines ");
  const before = await stored(page);
  await send(page).click();
  await arrived(page);
  await expect(card(page, t("receipt.link"))).toHaveCount(0);
  await expectAccessible(page);
  const shown = `${await page.content()} ${await page.title()} ${page.url()}`;
  const after = await stored(page);
  const state = await page.evaluate(() => JSON.stringify(history.state));
  await page.reload();
  await arrived(page);
  await page.goBack();
  await expect(page).not.toHaveURL(/\/q/); // nor does the history have the link

  const [content] = await request.read();
  expect(decoded(content?.body ?? new Uint8Array())).toBe("e2e answer 👩‍👩‍👧‍👦\n\tof two lines ");
  expect(sent.some((one) => one.includes("/AnswerRequest "))).toBe(true);
  for (const hidden of [...request.canaries, "e2e answer", base64(Buffer.from("e2e answer 👩")).slice(0, 12)]) {
    for (const [where, all] of Object.entries({ sent: sent.join(), said: said.join(), shown, state, before, after })) {
      expect(all.includes(hidden), `${where} has ${hidden}`).toBe(false);
    }
  }
});

test("the receipt of an answer burns it, and says answer where that of a secret says secret", async ({ page }) => {
  const request = await ask();
  await page.goto(request.requestPlace);
  await field(page).fill("e2e answer that is taken back");
  await send(page).click();
  await arrived(page);
  await expect(button(page, t("receipt.burn"))).toHaveCount(0);
  await button(page, t("receipt.answer.burn")).click();
  const dialog = page.getByRole("dialog", { name: t("receipt.answer.burn.title") });
  await expect(dialog).toContainText(t("receipt.answer.burn.text"));
  await expectAccessible(page);
  await button(dialog, t("receipt.answer.burn")).click();
  await expect(page.getByRole("heading", { name: t("receipt.state.burned") })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: t("receipt.answer.burned") })).toBeAttached();
});

test("a signed-in visitor's device remembers the receipt of an answer, which is in no account", async ({ page }) => {
  const request = await ask();
  await signIn(page, ada);
  await page.goto(request.requestPlace);
  await field(page).fill("e2e answer of someone signed in");
  await send(page).click();
  await arrived(page);
  const remember = page.getByRole("checkbox", { name: t("receipt.remember") });
  await expect(remember).not.toBeChecked();
  await remember.check();
  await expectAccessible(page);
  const receipts: string[] = [new URL(page.url()).hash.slice(1)];

  // The history is on by now.
  await page.goto(request.requestPlace);
  await field(page).fill("e2e answer that is remembered at once");
  await send(page).click();
  await arrived(page);
  await expect(remember).toBeChecked();
  receipts.push(new URL(page.url()).hash.slice(1));
  const kept = await page.evaluate(() => localStorage.getItem("hush.history") ?? "");
  for (const receipt of receipts) {
    expect(kept).toContain(receipt);
  }
});

test("a file is answered with a passphrase @check", async ({ page }) => {
  const request = await ask({ kinds: ["file", "text"] });
  await page.goto(request.requestPlace);
  await expect(button(page, t("file.choose"))).toBeVisible(); // what the card names first
  await tab(page, "text").click();
  await hand(page, "drop", ["id_ed25519", "e2e key"]);
  await expect(page.getByRole("region", { name: t("file.label") })).toContainText("id_ed25519");
  await fillPassphrase(page, "pass é 1");
  await expectAccessible(page);
  await send(page).click();
  await arrived(page);
  const [content] = await request.read("pass e\u0301 1");
  expect([content?.kind, content?.fileName, decoded(content?.body ?? new Uint8Array())]).toEqual([
    "file",
    "id_ed25519",
    "e2e key",
  ]);
});

test("only what the card accepts is taken, up to its size", async ({ page }) => {
  const texts = await ask({ kinds: ["text"], token: "" });
  await page.goto(texts.requestPlace);
  await expect(field(page)).toBeVisible();
  await expect(tab(page, "file")).toHaveCount(0);
  await hand(page, "drop", ["a.txt", "e2e file"]);
  await expect(page.getByRole("alert")).toContainText(t("answer.files.none"));
  await send(page).click();
  await expect(page.getByRole("alert")).toContainText(t("answer.empty"));
  const most = await page.evaluate(() => /up to (\d+) KB/.exec(document.body.innerText)?.[1]);
  await field(page).fill("x".repeat(Number(most) * 1000 + 1000));
  await send(page).click();
  await expect(page.getByRole("alert")).toContainText("too long");
  await field(page).fill("x".repeat(Number(most) * 1000 - 500));
  await send(page).click();
  await arrived(page);

  const files = await ask({ kinds: ["file"] });
  await page.goto(files.requestPlace);
  await expect(field(page)).toHaveCount(0);
  await send(page).click();
  await expect(page.getByText(t("answer.file.none"))).toBeVisible();
});

test("what is asked is text @check", async ({ page }) => {
  const request = await ask({ title: `${hostile} https://evil.example/`, note: `${hostile}\n  https://evil.example/` });
  await page.goto(request.requestPlace);
  await expect(page.locator("blockquote")).toContainText("<svg onload=alert(2)>");
  await expect(page.locator("blockquote :not(p)")).toHaveCount(0);
  expect(await page.locator(".asked-note").evaluate((note) => note.textContent)).toBe(request.asked.card.note);
  expect(await page.title()).not.toContain("evil");
});

test("the page says who asks, always in the same place", async ({ page }) => {
  const request = await ask({ showAddress: true });
  const asker = page.getByRole("region", { name: t("answer.who"), exact: true });
  await page.goto(request.requestPlace);
  await expect(asker).toContainText(ada.address);
  await expect(asker).toContainText(t("answer.who.address"));
  await change(page, "RequestService/GetRequest", (answer) => ({ ...answer, verifiedDomain: "secrets.ada-team.com" }));
  await page.reload();
  await expect(asker).toContainText(t("answer.who.domain"));
  await expect(asker).toContainText("secrets.ada-team.com");
});

test("requests that take no answers say why, and have no form", async ({ page }) => {
  const [full, closed, past] = [
    await ask({ answers: 1 }),
    await ask(),
    await ask({ latest: Math.floor(Date.now() / 1000) - 5 }),
  ];
  await full.answer("e2e secret");
  await closed.close();
  const wrong = `${closed.requestPlace.slice(0, 34)}${past.requestPlace.slice(34)}`;
  for (const [place, words] of [
    [full.requestPlace, t("answer.ended.full")],
    [closed.requestPlace, t("answer.ended.closed")],
    [past.requestPlace, t("answer.ended.past")], // although the server says that it is open
    [`/q#${"0".repeat(31)}${full.requestPlace.slice(34)}`, t("answer.ended.gone")],
    [wrong, t("answer.link")],
    [full.requestPlace.slice(0, -1), t("answer.incomplete")],
    [`${full.requestPlace}0`, t("open.bad.long")],
    [`/q#${"0".repeat(31)}${"z".repeat(43)}`, t("endtoend.wrong")],
    ["/q", t("endtoend.lead")],
  ] as const) {
    await page.goto("about:blank");
    await page.goto(place);
    await expect(page.getByText(words), place).toBeVisible();
    await expect(send(page)).toHaveCount(0);
  }
  const open = await ask();
  for (const pasted of [open.requestPlace.slice(3), `See ${url}${open.requestPlace}.`]) {
    await page.goto("/q");
    await page.getByRole("textbox", { name: t("ask.link") }).fill(pasted);
    await button(page, t("ask.submit")).click();
    await expect(field(page)).toBeVisible();
  }
  await page.goto("/e");
  await page.getByRole("textbox", { name: t("ask.link") }).fill(url + open.requestPlace);
  await button(page, t("ask.submit")).click();
  await expect(field(page)).toBeVisible();
});

test("a link that a mail gateway changed is mended, and the page says so", async ({ page }) => {
  const request = await ask();
  await page.goto(request.requestPlace.replace("#", "%23"));
  await expect(page).toHaveURL(url + request.requestPlace);
  await expect(page.getByRole("alert")).toContainText(t("answer.mangled"));
  await expect(field(page)).toBeVisible();
});

test("nothing is sent over plain HTTP", async ({ page, expected }) => {
  expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  const sent = requests(page);
  const request = await ask();
  await page.goto(`http://${brandedHost}${request.requestPlace}`);
  await expect(page.getByRole("alert")).toContainText(t("answer.insecure"));
  expect(sent.filter((one) => one.includes("RequestService"))).toEqual([]);
});

/** spoil changes one byte in the middle. */
function spoil(text: unknown): string {
  const bytes = Buffer.from(String(text), "base64");
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  return bytes.toString("base64");
}

// An operator, or a proxy, answers for the server.
test("an altered request is refused, or changes nothing that matters @check", async ({ page }) => {
  const [request, other, newer] = [await ask(), await ask({ title: "Another key" }), await ask()];
  const cardOf = async ({ requestKey, asked }: Request) => {
    const { linkKeys } = await import("../src/requests/keys");
    const { rpc } = await import("./service");
    const linkProof = base64((await linkKeys(asked.secret)).proof);
    return (await rpc<{ card: string }>("RequestService/GetRequest", { requestKey, linkProof })).card;
  };
  const [otherCard, newerCard] = [await cardOf(other), await cardOf(newer)];
  const refused: Record<string, (answer: Answer) => object> = {
    "a changed card": (answer) => ({ ...answer, card: spoil(answer.card) }),
    "a card cut off": (answer) => ({ ...answer, card: String(answer.card).slice(0, 800) }),
    "no card": (answer) => ({ ...answer, card: "" }),
    "another request's card": (answer) => ({ ...answer, card: otherCard }),
    "a card of the same words": (answer) => ({ ...answer, card: newerCard }),
  };
  const harmless: Record<string, (answer: Answer) => object> = {
    numbers: (answer) => ({ ...answer, request: { ...answer.request, answers: 99, answered: 50, waiting: 7 } }),
    times: (answer) => ({
      ...answer,
      request: {
        ...answer.request,
        expireTime: "2001-01-01T00:00:00Z",
        createTime: "2099-01-01T00:00:00Z",
        ttlLeft: "1s",
      },
    }),
    "an asker's name that is markup": (answer) => ({ ...answer, verifiedDomain: hostile, address: hostile }),
    "a huge size": (answer) => ({ ...answer, answerMax: "9007199254740993" }),
  };
  let sent = 0;
  await page.route(calls, (route) => {
    sent++;
    return route.abort();
  });
  for (const [name, fn] of Object.entries({ ...refused, ...harmless })) {
    await page.unroute("**/hush.v1.RequestService/GetRequest");
    await change(page, "RequestService/GetRequest", fn);
    await page.goto("about:blank");
    await page.goto(request.requestPlace);
    if (refused[name]) {
      await expect(heading(page, t("answer.altered.title")), name).toBeVisible();
      await expect(page.locator("main"), name).not.toContainText("key");
      await expect(page.locator("main textarea, main input"), name).toHaveCount(0);
    } else {
      await expect(field(page), name).toBeVisible();
      await expect(page.getByText("Deploy key for staging"), name).toBeVisible();
      await expect(page.locator("main img[src=x]"), name).toHaveCount(0);
    }
  }
  for (const [state, words] of [
    ["STATE_WITHDRAWN", t("answer.ended.withdrawn")],
    ["STATE_UNSPECIFIED", t("answer.ended.closed")],
  ] as const) {
    await page.unroute("**/hush.v1.RequestService/GetRequest");
    await change(page, "RequestService/GetRequest", (answer) => ({ ...answer, request: { ...answer.request, state } }));
    await page.goto("about:blank");
    await page.goto(request.requestPlace);
    await expect(page.getByText(words)).toBeVisible();
  }
  expect(sent, "answers that were sent").toBe(0);
});

/** lose lets calls reach the server, and loses so many of the acknowledgements. It returns the bodies of all. */
async function lose(page: Page, times: number): Promise<string[]> {
  const bodies: string[] = [];
  await page.route(calls, async (route) => {
    bodies.push(route.request().postData() ?? "");
    if (bodies.length > times) {
      return route.continue();
    }
    await route.fetch();
    return route.abort();
  });
  return bodies;
}

test("an answer whose acknowledgement was lost takes one place @check", async ({ page, expected }) => {
  expected.push(/ERR_FAILED/);
  const request = await ask({ answers: 1 });
  const bodies = await lose(page, 1);
  await page.goto(request.requestPlace);
  await field(page).fill("e2e answer");
  await send(page).click();
  await arrived(page);
  expect(bodies.length).toBe(2);
  expect(bodies[1]).toBe(bodies[0]);
  expect(await count(request)).toBe(1);
});

test("an unconfirmed answer is sent again after a reload, without a second place", async ({ page, expected }) => {
  test.slow(); // the page repeats the call by itself at first
  expected.push(/ERR_FAILED/);
  const request = await ask({ answers: 1 });
  const bodies = await lose(page, 3);
  await page.goto(request.requestPlace);
  await field(page).fill("e2e answer");
  await send(page).click();
  await expect(page.getByRole("alert")).toContainText(t("answer.lost"), { timeout: 15_000 });
  await expectAccessible(page);
  await expect(button(page, t("answer.again"))).toBeVisible();
  const kept = await stored(page);
  for (const hidden of [...request.canaries, request.requestKey, "e2e answer"]) {
    expect(kept).not.toContain(hidden);
  }
  await page.reload();
  await expect(heading(page, t("answer.unconfirmed.title"))).toBeVisible();
  await expectAccessible(page);
  await button(page, t("answer.again")).click();
  await arrived(page);
  expect(new Set(bodies).size, "different calls").toBe(1);
  expect(await count(request)).toBe(1);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a changed answer is another one, and the page says what is not known", async ({ page, expected }) => {
  test.slow();
  expected.push(/ERR_FAILED/);
  const request = await ask();
  const bodies = await lose(page, 3);
  await page.goto(request.requestPlace);
  await field(page).fill("e2e first");
  await send(page).click();
  await expect(page.getByRole("alert")).toContainText(t("answer.lost"), { timeout: 15_000 });
  await field(page).fill("e2e second");
  await expect(page.getByRole("alert")).toContainText(t("answer.changed"));
  await send(page).click();
  await arrived(page);
  expect(new Set(bodies.map((body) => (JSON.parse(body) as { number: string }).number)).size).toBe(2);
  expect((await request.read()).map(({ body }) => decoded(body))).toEqual(["e2e first", "e2e second"]);
});

test("a request that ends meanwhile leaves the text", async ({ page }) => {
  const request = await ask();
  await page.goto(request.requestPlace);
  await field(page).fill("e2e answer");
  await request.close();
  await send(page).click();
  await expect(page.getByRole("alert")).toContainText(t("answer.ended.sending"));
  await expect(field(page)).toHaveValue("e2e answer");
  await expectAccessible(page);
});

test("a report has the key alone", async ({ page }) => {
  const request = await ask();
  await page.goto(request.requestPlace);
  await page.getByRole("link", { name: t("answer.report") }).click();
  await expect(page.getByLabel(t("feedback.message"))).toHaveValue(new RegExp(request.requestKey));
  expect(page.url()).toBe(`${url}/feedback#${request.requestKey}`);
});

test("a chosen file is answered from a page in Arabic", async ({ page }) => {
  const request = await ask({ kinds: ["file"], title: "مفتاح النشر" });
  await page.goto(request.requestPlace);
  await page.getByLabel(t("app.language")).selectOption("ar");
  await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wide).toBeLessThanOrEqual(0);
  await page.getByLabel("اللغة").selectOption("en");
  await page.locator("input[type=file]").setInputFiles([{ ...text("a.txt", "e2e file") }]);
  await send(page).click();
  await arrived(page);
});
