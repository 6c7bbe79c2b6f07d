/* Files that are too large for one message: the link is there at once, and the parts follow. */
import { appendFileSync, writeFileSync } from "node:fs";
import type { Page, TestInfo } from "@playwright/test";
import { type FileState, look, openFile } from "./filed";
import { button, copyLink, expect, expectAccessible, heading, linkField, links, speak, test } from "./fixtures";
import { kinds, rpc } from "./service";
import { choose, expectNone, fillPassphrase, hand, requests, secretOf, tab, unfold } from "./shareform";
import { filled, t } from "./texts";

const MiB = 1 << 20;

/** Parts take a while on a machine that does other things as well. */
const waits = { timeout: 90_000 };

/** Large is a file on the disk, from where browsers read it while they send it. */
interface Large {
  path: string;
  body: Buffer;
}

/** write puts a file of so many bytes on the disk. */
function write(info: TestInfo, name: string, size: number): Large {
  const body = Buffer.alloc(size);
  for (let at = 0; at < size; at += 65_536) {
    crypto.getRandomValues(body.subarray(at, Math.min(at + 65_536, size)));
  }
  const path = info.outputPath(name);
  writeFileSync(path, body);
  return { path, body };
}

/** pick chooses a file of the disk as a visitor does. */
async function pick(page: Page, { path }: Large): Promise<void> {
  await tab(page, "file").click();
  const chooser = page.waitForEvent("filechooser");
  await button(page, t("file.choose")).click();
  await (await chooser).setFiles(path);
}

const submit = (page: Page) => button(page, t("share.submit")).click();
const arriving = /^Still arriving: \d+%$/;
const sending = (page: Page) => page.getByRole("heading", { name: arriving });
const arrived = (page: Page) => page.getByRole("heading", { name: t("upload.arrived"), exact: true });
const keyOf = (link: string) => new URL(link).hash.slice(1, 32);

/** fileOf returns how far a file is, as its receipt says. */
async function fileOf(receipt: string): Promise<FileState | undefined> {
  const metadataKey = receipt.slice("/r#".length);
  return (await rpc<{ metadata: { file?: FileState } }>("MetadataService/GetMetadata", { metadataKey })).metadata.file;
}

/** Watched is what a page has whose parts the test watches. */
interface Watched {
  /** Lets the parts go that wait. */
  release: () => void;
  /** The hashes of what was to be sent, in its order. */
  bodies: string[];
}

/**
 * watchParts watches the parts that a page sends: to intercept them on their way would
 * copy every byte through the test. After the first so many, parts wait to be released,
 * or they are those alone that leave: the line breaks under those before.
 */
async function watchParts(page: Page, then: "wait" | "leave", first: number): Promise<void> {
  await page.evaluate(
    ([then, first]) => {
      const { open, send } = XMLHttpRequest.prototype;
      const parts = new WeakSet<XMLHttpRequest>();
      const bodies: string[] = [];
      const held = new Promise<void>((release) => Object.assign(window, { release, bodies }));
      XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, method: string, url: string | URL) {
        if (String(url).endsWith("/PutPart")) {
          parts.add(this);
        }
        open.call(this, method, url, true);
      };
      const sendPart = async (call: XMLHttpRequest, body: Uint8Array<ArrayBuffer>) => {
        const hash = await crypto.subtle.digest("SHA-256", body);
        const count = bodies.push(new Uint8Array(hash).join());
        if (then === "leave" && count <= first) {
          call.onerror?.(new ProgressEvent("error"));
          return;
        }
        if (then === "wait" && count > first) {
          await held;
        }
        send.call(call, body);
      };
      XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body) {
        if (parts.has(this)) {
          sendPart(this, body as Uint8Array<ArrayBuffer>).catch(() => undefined); // it was given up meanwhile
        } else {
          send.call(this, body);
        }
      };
    },
    [then, first] as const,
  );
}

/** holdParts lets all parts wait but the first so many, and returns what lets them go. */
async function holdParts(page: Page, first: number): Promise<() => Promise<void>> {
  await watchParts(page, "wait", first);
  return () => page.evaluate(() => (window as unknown as Watched).release());
}

test("a large file has its link at once, says what it is to the recipient alone, and arrives @check @phone", async ({
  page,
  context,
}, info) => {
  const sent = requests(context);
  const large = write(info, "plans of ada.bin", 9 * MiB + 1);
  await page.goto("/");
  await pick(page, large);
  await expect(page.getByText(t("upload.preview"))).toBeVisible();
  await page.getByLabel(t("upload.note")).fill("Read this first:\nnothing in it is urgent.");
  await expectAccessible(page);
  const release = await holdParts(page, 1);
  await submit(page);

  const { link, receipt } = await links(page);
  await expect(sending(page)).toBeVisible();
  await expect(page.getByRole("heading", { name: t("receipt.state.arriving"), exact: true })).toBeVisible();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await expectAccessible(page);
  await expect.poll(async () => (await look(link)).file.arrived, waits).toBe(1);
  const { file, preview } = await look(link);
  expect([file.complete, file.parts]).toEqual([undefined, 2]);
  expect(preview).toEqual({
    kind: "file",
    fileName: "plans of ada.bin",
    size: large.body.length,
    count: 0,
    note: "Read this first:\nnothing in it is urgent.",
  });
  await expect(openFile(link)).rejects.toThrow(/REASON_ARRIVING/);

  await release();
  await expect(arrived(page)).toBeVisible(waits);
  await expect(page.getByRole("heading", { name: t("receipt.state.waiting") })).toBeVisible();
  await expect(linkField(page)).toHaveValue(link);
  await expectAccessible(page);
  const content = await (await openFile(link)).finish();
  expect([content.kind, content.fileName, large.body.equals(content.body)]).toEqual(["file", "plans of ada.bin", true]);
  await expect(page.getByRole("heading", { name: t("receipt.state.received") })).toBeVisible();
  await expect(page.getByText(t("receipt.confirmation.delivered"))).toBeVisible();
  expect(await kinds(receipt.slice("/r#".length))).toContain("KIND_DELIVERED");
  const small = sent.filter((request) => !request.url().endsWith("/PutPart"));
  await expectNone(small, "plans of ada", "nothing in it is urgent", secretOf(link), link.slice(-43));
});

test("an upload goes on by itself after the line was down, and never runs backwards @check", async ({
  page,
  context,
  expected,
}, info) => {
  expected.push(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_NETWORK/);
  const large = write(info, "large.bin", 24 * MiB);
  await page.goto("/");
  await pick(page, large);
  const release = await holdParts(page, 1);
  await submit(page);
  const { link } = await links(page);
  await expect.poll(async () => (await look(link)).file.arrived, waits).toBe(1);
  await page.evaluate(() => {
    const shown: number[] = [];
    Object.assign(window, { shown });
    const note = () => {
      const bar = document.querySelector("progress");
      if (bar) {
        shown.push(bar.value);
      }
      requestAnimationFrame(note);
    };
    note();
  });
  await context.setOffline(true);
  await release();
  await expect(page.getByText(t("upload.pause.line"))).toBeVisible();
  await expect(sending(page)).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(arrived(page)).toBeVisible(waits);
  const shown = await page.evaluate(() => (window as unknown as { shown: number[] }).shown);
  expect(shown.length).toBeGreaterThan(0);
  expect(shown).toEqual([...shown].sort((a, b) => a - b));
  const content = await (await openFile(link)).finish();
  expect(large.body.equals(content.body)).toBe(true);
});

test("after a broken line the same bytes are sent again", async ({ page }, info) => {
  const large = write(info, "large.bin", 9 * MiB);
  await page.goto("/");
  await pick(page, large);
  await watchParts(page, "leave", 3);
  await submit(page);
  const { link } = await links(page);
  await expect(arrived(page)).toBeVisible(waits);
  const bodies = await page.evaluate(() => (window as unknown as Watched).bodies);
  expect([new Set(bodies).size, bodies.length]).toEqual([2, 5]);
  expect(large.body.equals((await (await openFile(link)).finish()).body)).toBe(true);
});

test("leaving asks while a file is on its way, and gives it up", async ({ page }, info) => {
  await page.goto("/");
  await pick(page, write(info, "large.bin", 9 * MiB));
  await holdParts(page, 1);
  await submit(page);
  const { link } = await links(page);
  await copyLink(page);
  // Another page of the UI is shown without a question: the upload goes on.
  await page
    .getByRole("banner")
    .getByRole("link", { name: t("app.share") })
    .click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  const asked = page.waitForEvent("dialog", (dialog) => dialog.type() === "beforeunload");
  await page.evaluate(() => void setTimeout(() => location.reload(), 100));
  await asked;
  await expect
    .poll(() =>
      look(link).then(
        () => "there",
        () => "gone",
      ),
    )
    .toBe("gone");
});

test("an upload goes on while another page is shown, and may be left once it has arrived", async ({ page }, info) => {
  await page.goto("/");
  await pick(page, write(info, "large.bin", 9 * MiB));
  const release = await holdParts(page, 1);
  await submit(page);
  const { link, receipt } = await links(page);
  await copyLink(page);
  await page
    .getByRole("banner")
    .getByRole("link", { name: t("app.share") })
    .click();
  await expect(heading(page, t("share.title"))).toBeVisible();
  await page.goBack();
  await expect(sending(page)).toBeVisible();
  await release();
  await expect(arrived(page)).toBeVisible(waits);
  await page.reload();
  await expect(heading(page, t("receipt.title"))).toBeVisible();
  expect((await look(link)).file.complete).toBe(true);
  expect((await fileOf(receipt))?.complete).toBe(true);
});

test("a file that changes while it is sent stops the upload, and its link opens nothing @check", async ({
  page,
}, info) => {
  const large = write(info, "journal.bin", 40 * MiB);
  await page.goto("/");
  await pick(page, large);
  const release = await holdParts(page, 1);
  await submit(page);
  const { link } = await links(page);
  await expect(sending(page)).toBeVisible();
  appendFileSync(large.path, "one more line");
  await release();
  await expect(page.getByRole("alert")).toHaveText(t("upload.failed.source", { name: "journal.bin" }));
  await expect(page.getByRole("heading", { name: t("receipt.state.burned") })).toBeVisible();
  await expect(linkField(page)).toHaveCount(0);
  await expectAccessible(page);
  await expect(look(link)).rejects.toThrow(/404/);
});

test("an upload is canceled with the keyboard", async ({ page }, info) => {
  await page.goto("/");
  await pick(page, write(info, "large.bin", 9 * MiB));
  await holdParts(page, 0);
  await submit(page);
  const { link } = await links(page);
  await button(page, t("upload.cancel")).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: t("upload.cancel.title") });
  await expect(dialog).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(sending(page)).toBeVisible();
  await page.keyboard.press("Enter");
  await button(dialog, t("upload.cancel")).click();
  await expect(page.getByRole("heading", { name: t("upload.canceled") })).toBeVisible();
  await expect(page.getByRole("heading", { name: t("receipt.state.burned") })).toBeVisible();
  await expect(look(link)).rejects.toThrow(/404/);
});

test("the receipt on another device shows what has arrived, and what was fetched", async ({ page, other }, info) => {
  await page.goto("/");
  await pick(page, write(info, "large.bin", 9 * MiB));
  const release = await holdParts(page, 1);
  await submit(page);
  const { link, receipt } = await links(page);
  await expect.poll(async () => (await fileOf(receipt))?.arrived, waits).toBe(1);
  await other.goto(receipt);
  await expect(other.getByRole("heading", { name: t("receipt.state.arriving"), exact: true })).toBeVisible();
  await expect(other.getByText(filled(t("receipt.file.arriving"), { percent: "50%" }))).toBeVisible();
  await expectAccessible(other);
  await release();
  await expect(other.getByRole("heading", { name: t("receipt.state.waiting") })).toBeVisible(waits);
  const reader = await openFile(link);
  await reader.part(0);
  await expect(other.getByText(filled(t("receipt.file.fetched"), { percent: "50%" }))).toBeVisible();
  await expectAccessible(other);
  await reader.finish();
  await expect(other.getByText(t("receipt.confirmation.delivered"))).toBeVisible();
});

test("with a passphrase the recipient sees nothing before opening", async ({ page }, info) => {
  const large = write(info, "large.bin", 9 * MiB);
  await page.goto("/");
  await pick(page, large);
  await page.getByLabel(t("upload.note")).fill("not for those without it");
  await fillPassphrase(page, "quick otter");
  await expect(page.getByText(t("upload.preview.none"))).toBeVisible();
  await submit(page);
  const { link } = await links(page);
  await expect(arrived(page)).toBeVisible(waits);
  expect((await look(link)).preview).toBeUndefined();
  const content = await (await openFile(link, "quick otter")).finish();
  expect(large.body.equals(content.body)).toBe(true);
});

test("several files are packed, and sent in parts if the archive is large", async ({ page }) => {
  const noise = () => crypto.getRandomValues(Buffer.alloc(60_000));
  await page.goto("/");
  await choose(
    page,
    { name: "1.bin", mimeType: "", buffer: noise() },
    { name: "2.bin", mimeType: "", buffer: noise() },
  );
  await expect(page.getByLabel(t("upload.note"))).toBeVisible();
  await submit(page);
  const { link } = await links(page);
  await expect(arrived(page)).toBeVisible(waits);
  expect((await look(link)).preview).toMatchObject({ fileName: "files.zip", count: 2 });
  expect((await (await openFile(link)).finish()).fileName).toBe("files.zip");
});

test("a large file goes to one recipient, and what fits one message is as ever", async ({ page, context }, info) => {
  const sent = requests(context);
  await page.goto("/");
  await pick(page, write(info, "large.bin", 9 * MiB));
  await unfold(page, "more");
  await button(page, t("share.several")).click();
  await page.getByLabel(t("share.names")).fill("ada, bob");
  await page.getByRole("button", { name: "Create 2 links" }).click();
  await expect(page.getByText(t("file.one_recipient"))).toBeVisible();
  await button(page, t("file.remove.named", { name: "large.bin" })).click();
  await hand(page, "drop", ["small.txt", "e2e secret in one message"]);
  await page.getByLabel(t("share.names")).fill("");
  await expect(page.getByLabel(t("upload.note"))).toHaveCount(0);
  await submit(page);
  await links(page);
  expect(sent.filter((request) => request.url().includes("FileService"))).toHaveLength(0);
});

test("a page that sends speaks the language of its visitor, from right to left too", async ({ page }, info) => {
  await speak(page, "ar");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/");
  await page.locator(".segmented label", { hasText: "ملف" }).click();
  const chooser = page.waitForEvent("filechooser");
  await page.locator(".file-drop button").click();
  await (await chooser).setFiles(write(info, "large.bin", 9 * MiB).path);
  await expect(page.getByText("يرى المستلم الاسم والحجم والملاحظة قبل الفتح")).toBeVisible();
  await expectAccessible(page);
  await holdParts(page, 1);
  await page.locator(".share-send button").click();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(keyOf(await page.locator(".link-field").inputValue())).toHaveLength(31);
});
