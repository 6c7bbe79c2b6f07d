import type { BrowserContext, Page, Request } from "@playwright/test";
import { unzipSync } from "fflate";
import { parse } from "../src/endtoend/link";
import {
  ada,
  button,
  card,
  clipboard,
  copyLink,
  expect,
  expectAccessible,
  heading,
  links,
  revealed,
  signIn,
  test,
} from "./fixtures";
import { openEndToEnd, reveal } from "./service";
import { t } from "./texts";

const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const field = (page: Page) => page.getByLabel(t("share.secret"));
const passphrase = (page: Page) => page.getByRole("textbox", { name: t("share.passphrase") });
const endToEndLink = /^http:\/\/[^/]+\/e#[0-9a-z]{31}[0-9A-Za-z]{43}$/;

/** shareText shares a text from the open form, and returns the links. */
async function shareText(page: Page, text: string) {
  await field(page).fill(text);
  await button(page, t("share.submit")).click();
  return await links(page);
}

/** requests records what a browser sends: the address, the headers and the body of every request. */
function requests(context: BrowserContext): Request[] {
  const sent: Request[] = [];
  context.on("request", (request) => void sent.push(request));
  return sent;
}

/** secretOf returns the bytes of a link's secret. */
function secretOf(link: string): Uint8Array {
  const parsed = parse(new URL(link).hash.slice(1));
  if (typeof parsed === "string") {
    throw new Error(`${link}: got a link that is ${parsed}, want a whole one`);
  }
  return parsed.secret;
}

/** expectNone asserts that no request holds any of these, as they are or encoded. */
async function expectNone(sent: Request[], ...hidden: (string | Uint8Array)[]): Promise<void> {
  for (const request of sent) {
    const body = request.postDataBuffer() ?? Buffer.alloc(0);
    const plain = `${request.url()}\n${JSON.stringify(await request.allHeaders())}\n${body.toString("latin1")}`;
    const all = plain + (plain.match(/[\w+/-]{8,}/g) ?? []).map((run) => Buffer.from(run, "base64").toString("latin1"));
    for (const one of hidden) {
      const bytes = Buffer.from(one);
      for (const form of [
        bytes.toString("latin1"),
        bytes.toString("base64").replace(/=+$/, ""),
        bytes.toString("base64url"),
        bytes.toString("hex"),
        encodeURIComponent(bytes.toString()),
      ]) {
        expect(all.includes(form), `${request.method()} ${request.url()} holds ${form}`).toBe(false);
      }
    }
  }
}

test("a text is encrypted on the device, and no request holds it @phone @check", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await expect(page.getByText(t("encryption.end_to_end.text"))).toBeVisible();
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
  await passphrase(page).fill("quick cafe\u0301 otter");
  const { link } = await shareText(page, "e2e secret behind a passphrase");
  await expectNone(sent, secretOf(link), "quick cafe\u0301 otter", "quick caf\u00e9 otter", "e2e secret behind");
  await expect(openEndToEnd(link)).rejects.toThrow(/403/);
  expect(decoded((await openEndToEnd(link, "quick caf\u00e9 otter")).body)).toBe("e2e secret behind a passphrase");
});

test("a generated secret is encrypted like a text", async ({ page, context, other }) => {
  const sent = requests(context);
  await page.goto("/");
  await page.getByText(t("share.mode.generate"), { exact: true }).click();
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

/** choose picks files as a visitor does. */
async function choose(page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await button(page, t("file.choose")).click();
  await (await chooser).setFiles(files);
}

const text = (name: string, body: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(body) });
const fileCard = (page: Page) => page.getByRole("region", { name: t("file.label") });

/** hand drops or pastes files in the middle of the page. */
async function hand(page: Page, kind: "drop" | "paste", ...files: [name: string, body: string][]): Promise<void> {
  await page.evaluate(
    ([kind, files]) => {
      const data = new DataTransfer();
      for (const [name, body] of files) {
        data.items.add(new File([body], name, { type: "text/plain" }));
      }
      const event =
        kind === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector("main")?.dispatchEvent(event);
    },
    [kind, files] as const,
  );
}

test("a file is shared instead of a text, which comes back @phone @check", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await field(page).fill("e2e secret that waits");
  await choose(page, text("gpj.\u202eexe.txt", "e2e secret in a file"));
  await expect(fileCard(page)).toContainText("gpj._exe.txt");
  await expect(fileCard(page)).toContainText(t("file.instead"));
  await expect(field(page)).toHaveCount(0);
  await expectAccessible(page);
  await button(page, t("file.remove")).click();
  await expect(field(page)).toHaveValue("e2e secret that waits");
  await expect(field(page)).toBeFocused();

  await choose(page, text("gpj.\u202eexe.txt", "e2e secret in a file"));
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expectNone(sent, "e2e secret in a file", "_exe.txt", "e2e secret that waits", secretOf(link));
  const content = await openEndToEnd(link);
  expect([content.kind, content.fileName, content.mediaType, decoded(content.body)]).toEqual([
    "file",
    "gpj._exe.txt",
    "text/plain",
    "e2e secret in a file",
  ]);
});

test("a shared file is downloaded under its name", async ({ page, other }) => {
  await page.goto("/");
  await choose(page, text("notes of ada.txt", "e2e secret in a file"));
  await passphrase(page).fill("quick otter");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await other.goto(link);
  await other.getByLabel(t("open.passphrase"), { exact: true }).fill("quick otter");
  const download = other.waitForEvent("download");
  await button(other, t("open.reveal")).click();
  await other.getByRole("button", { name: t("reveal.file.save") }).click();
  expect((await download).suggestedFilename()).toBe("notes of ada.txt");
});

for (const kind of ["drop", "paste"] as const) {
  test(`a file is taken by ${kind}`, async ({ page }) => {
    await page.goto("/");
    await expect(button(page, t("file.choose"))).toBeVisible();
    await hand(page, kind, ["dropped.txt", "e2e secret by hand"]);
    await expect(fileCard(page)).toContainText("dropped.txt");
    await button(page, t("share.submit")).click();
    const { link } = await links(page);
    expect(decoded((await openEndToEnd(link)).body)).toBe("e2e secret by hand");
  });
}

test("several files are packed on the device", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret one"), text("b.txt", "e2e secret two"));
  await expect(fileCard(page)).toContainText("files.zip");
  await expect(fileCard(page)).toContainText("a.txt, b.txt");
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expectNone(sent, "a.txt", "e2e secret one", secretOf(link));
  const content = await openEndToEnd(link);
  expect(content.fileName).toBe("files.zip");
  const files = Object.entries(unzipSync(content.body)).map(([name, body]) => [name, decoded(body)]);
  expect(files).toEqual([
    ["a.txt", "e2e secret one"],
    ["b.txt", "e2e secret two"],
  ]);
});

test("more files are packed with the chosen ones", async ({ page }) => {
  await page.goto("/");
  await choose(page, text(".env", "e2e secret one"));
  await expect(fileCard(page)).toContainText(".env");
  await hand(page, "drop", ["b.txt", "e2e secret two"]);
  await hand(page, "paste", ["c.txt", "e2e secret three"]);
  await expect(fileCard(page)).toContainText(".env, b.txt, c.txt");
  await expect(page.getByText(t("share.mode.text"), { exact: true })).toHaveCount(0);
  const chooser = page.waitForEvent("filechooser");
  await button(page, t("file.add")).click();
  await (await chooser).setFiles([text("d.txt", "e2e secret four")]);
  await expect(fileCard(page)).toContainText(".env, b.txt, c.txt, d.txt");
  await expectAccessible(page);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  const files = Object.values(unzipSync((await openEndToEnd(link)).body)).map(decoded);
  expect(files).toEqual(["e2e secret one", "e2e secret two", "e2e secret three", "e2e secret four"]);
});

test("the recipient learns that a dot at the beginning of a name may be lost", async ({ page, other }) => {
  await page.goto("/");
  await choose(page, text(".env", "e2e secret in a file"));
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toContainText(t("reveal.file.dot", { name: "env" }));
});

test("files that are too large say by how much, and lose nothing", async ({ page }) => {
  await page.goto("/");
  await field(page).fill("e2e secret that stays");
  const large = Buffer.alloc(102_401);
  await choose(page, { name: "large.bin", mimeType: "", buffer: large });
  await expect(page.getByRole("alert")).toContainText(
    t("file.too_large", { size: "102,401 bytes", limit: "102,400 bytes" }),
  );
  await expect(field(page)).toHaveValue("e2e secret that stays");
  crypto.getRandomValues(large.subarray(0, 60_000));
  const half = large.subarray(0, 60_000);
  await choose(page, { name: "1.bin", mimeType: "", buffer: half }, { name: "2.bin", mimeType: "", buffer: half });
  await expect(page.getByRole("alert")).toContainText(/^These 2 files are too large together/);
  await expectAccessible(page);
  await choose(page, { name: "fits.bin", mimeType: "", buffer: large.subarray(0, 102_400) });
  await expect(page.getByRole("alert")).toHaveCount(0);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  expect((await openEndToEnd(link)).body.length).toBe(102_400);
});

test("the server's kind is chosen in the options, and takes no files", async ({ page, other }) => {
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret"));
  await page.getByText(t("encryption.server"), { exact: true }).click();
  await expect(page.getByRole("alert")).toContainText(t("share.file.kind"));
  await expect(page.getByText(t("encryption.end_to_end.text"))).toBeVisible();
  await button(page, t("file.remove")).click();
  await page.getByText(t("encryption.server"), { exact: true }).click();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await expect(button(page, t("file.choose"))).toHaveCount(0);
  await hand(page, "drop", ["dropped.txt", "e2e secret"]);
  await expect(page.getByRole("alert")).toContainText(t("share.file.kind"));
  await expectAccessible(page);

  const { link } = await shareText(page, "e2e secret of the server");
  expect(link).toMatch(/\/s#[0-9a-z]{31}$/);
  await page.reload();
  await expect(page.getByText(link)).toBeVisible();
  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret of the server");
});

test("what a kind means is explained before anything is typed", async ({ page }) => {
  await page.goto("/");
  await page.getByText(t("encryption.more"), { exact: true }).first().click();
  for (const key of ["about.encryption.page", "about.encryption.once", "about.encryption.history"] as const) {
    await expect(page.getByText(t(key))).toBeVisible();
  }
  await expectAccessible(page);
  await page.goto("/about");
  await expect(card(page, t("about.encryption.title"))).toContainText(t("about.encryption.server"));
});

test("recipients need the server's kind, and choosing it is said", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/");
  await expect(page.getByText(t("share.recipient.end_to_end"))).toBeVisible();
  await expect(page.getByLabel(t("share.recipient"))).toHaveCount(0);
  await expectAccessible(page);
  await button(page, t("share.recipient.server")).click();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
  await page.getByLabel(t("share.recipient")).fill("friend@otters-team.com");
  await page.getByText(t("encryption.end_to_end"), { exact: true }).last().click();
  await expect(page.getByText(t("share.recipient.end_to_end"))).toBeVisible();
  const { link } = await shareText(page, "e2e secret for no mail");
  expect(link).toMatch(endToEndLink);
  await expect(page.getByText("friend@")).toHaveCount(0);
  await expect(button(page, t("result.mail"))).toBeVisible();
});

for (const mail of [true, false]) {
  test(`mail by the server is spoken of only where it is possible: account, mail ${mail}`, async ({ page }) => {
    await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, mail }));
    await page.goto("/");
    await expect(page.getByText(t("share.kind.hint"))).toBeVisible();
    await signIn(page, ada);
    await page.goto("/");
    await expect(page.getByRole("button", { name: t("app.account_menu") })).toBeVisible();
    await expect(page.getByText(t(mail ? "share.kind.hint.mail" : "share.kind.hint"))).toBeVisible();
    await expect(button(page, t("share.recipient.server"))).toHaveCount(mail ? 1 : 0);
    await page.getByText(t("encryption.server"), { exact: true }).click();
    await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
    await expect(page.getByLabel(t("share.recipient"))).toHaveCount(mail ? 1 : 0);
  });
}

test("About speaks of the kinds that are allowed", async ({ page }) => {
  await allow(page, "ENCRYPTION_SERVER");
  await page.goto("/about");
  const told = card(page, t("share.kind"));
  await expect(told).toContainText(t("about.encryption.server"));
  await expect(told.getByText(t("about.encryption.end_to_end"))).toHaveCount(0);
});

/** allow makes the operator's policy allow only some kinds. */
async function allow(page: Page, ...encryptions: string[]): Promise<void> {
  await change(page, "SystemService/GetPolicy", (answer) => ({ ...answer, encryptions }));
}

type Answer = Record<string, Record<string, unknown>>;

/** change changes the answers of a call before the page sees them. */
async function change(page: Page, procedure: string, fn: (answer: Answer) => object): Promise<void> {
  await page.route(`**/hush.v1.${procedure}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: fn((await answer.json()) as Answer) });
  });
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
  await expect(other.getByText(t("encryption.end_to_end.text"))).toBeVisible();
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
  await expect(page.getByText(t("encryption.end_to_end.text"))).toBeVisible();
  await field(page).fill("e2e secret of a promise");
  arrive();
  await expect(page.getByText(t("encryption.server.text"))).toBeVisible();
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
    await expect(page.getByText(link), after).toBeVisible();
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
  await expect(page.getByText(link)).toHaveCount(0);
});

test("a part of the link that was copied by hand is not the link, and all of it is", async ({ page, expected }) => {
  expected.push(ask);
  await page.goto("/");
  const { link } = await shareText(page, "e2e secret of a link copied by hand");
  const text = page.getByText(link, { exact: true });
  const copy = async (characters: number) => {
    await text.evaluate((element, end) => {
      getSelection()?.setBaseAndExtent(element.firstChild ?? element, 0, element.firstChild ?? element, end);
    }, characters);
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
  const { link } = await shareText(page, "e2e secret that is given up");
  await page.evaluate(() => history.back());
  await expect(heading(page, t("share.title"))).toBeVisible();
  await expect(field(page)).toHaveValue("");
  await page.evaluate(() => history.forward());
  await expect(card(page, t("receipt.link"))).toContainText(t("receipt.link.end_to_end"));
  await expect(page.getByText(link)).toHaveCount(0);
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
  await page.locator(".link-text").evaluate((text) => getSelection()?.selectAllChildren(text));
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
  await expect(page.getByText(link)).toHaveCount(0);
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
  await button(page, t("result.mail")).click();
  await expect(page.getByRole("status").filter({ hasText: t("result.message.mailed") })).toBeAttached();
  await expect.poll(() => clipboard(page)).toContain(link);
  await expect.poll(() => opened).toEqual([`mailto:?subject=${encodeURIComponent(t("result.share.title"))}`]);
  await page.getByRole("link", { name: t("receipt.again") }).click(); // asks nothing
  await expect(heading(page, t("share.title"))).toBeVisible();
});

test("a receipt has no link, and burns to share again @phone", async ({ page }) => {
  await page.goto("/");
  await passphrase(page).fill("quick otter");
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
