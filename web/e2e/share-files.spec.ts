import type { Page } from "@playwright/test";
import { unzipSync } from "fflate";
import { button, copyLink, expect, expectAccessible, heading, links, revealed, test } from "./fixtures";
import { openEndToEnd } from "./service";
import { choose, decoded, expectNone, field, fillPassphrase, hand, requests, secretOf, tab, text } from "./shareform";
import { t } from "./texts";

const fileCard = (page: Page) => page.getByRole("region", { name: t("file.label") });

test("a file is shared instead of a text, which comes back @phone @check", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await field(page).fill("e2e secret that waits");
  await choose(page, text("gpj.\u202eexe.txt", "e2e secret in a file"));
  await expect(fileCard(page)).toContainText("gpj._exe.txt");
  await expect(fileCard(page)).toContainText(t("file.instead"));
  await expect(field(page)).toHaveCount(0);
  await expectAccessible(page);
  await button(page, t("file.remove.named", { name: "gpj._exe.txt" })).click();
  await expect(button(page, t("file.choose"))).toBeFocused();
  await tab(page, "text").click();
  await expect(field(page)).toHaveValue("e2e secret that waits");

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
  await fillPassphrase(page, "quick otter");
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
    await expect(field(page)).toBeVisible(); // another tab takes it, too
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
  await expect(fileCard(page).getByRole("listitem")).toContainText(["a.txt", "b.txt"]);
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
  await expect(fileCard(page).getByRole("listitem")).toContainText([".env", "b.txt", "c.txt"]);
  const chooser = page.waitForEvent("filechooser");
  await button(page, t("file.add")).click();
  await (await chooser).setFiles([text("d.txt", "e2e secret four")]);
  await expect(fileCard(page).getByRole("listitem")).toContainText([".env", "b.txt", "c.txt", "d.txt"]);
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
  // A service that sends nothing in parts.
  await page.route("**/hush.v1.SystemService/GetPolicy", async (route) => {
    const answer = await route.fetch();
    const { anonymousFile: _, accountFile: __, ...rest } = (await answer.json()) as Record<string, unknown>;
    await route.fulfill({ response: answer, json: rest });
  });
  await page.goto("/");
  await field(page).fill("e2e secret that stays");
  const large = Buffer.alloc(102_401);
  await choose(page, { name: "large.bin", mimeType: "", buffer: large });
  await expect(page.getByRole("alert")).toContainText(
    t("file.too_large", { size: "102,401 bytes", limit: "102,400 bytes" }),
  );
  await tab(page, "text").click();
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

/** A picture of one red point. */
const point = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

test("pictures are shown small, one of several files is removed, and the others stay @phone", async ({ page }) => {
  await page.goto("/");
  await choose(page, { name: "point.png", mimeType: "image/png", buffer: point }, text("a.txt", "e2e secret one"));
  const line = (name: string) => fileCard(page).getByRole("listitem").filter({ hasText: name });
  await expect(line("point.png").locator("canvas")).toBeVisible();
  await expect(line("a.txt").locator("canvas")).toBeHidden();
  await expect(fileCard(page)).toContainText(/ of 102 KB/);
  await button(page, t("file.remove.named", { name: "a.txt" })).click();
  await expect(fileCard(page).getByRole("listitem")).toHaveCount(1);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  const content = await openEndToEnd(link);
  expect([content.fileName, Buffer.from(content.body)]).toEqual(["point.png", point]);
});

/** holdReading makes files wait to be read, or fail, until the visitor's device answers. */
async function holdReading(page: Page): Promise<(works: boolean) => Promise<void>> {
  await page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    const held = new Promise<boolean>((resolve) => Object.assign(window, { release: resolve }));
    Blob.prototype.arrayBuffer = async function (this: Blob) {
      if (await held) {
        return read.call(this);
      }
      throw new DOMException("gone", "NotFoundError");
    };
  });
  return (works) =>
    page.evaluate((works) => (window as unknown as { release(works: boolean): void }).release(works), works);
}

/** packedIn returns the names and the texts of what a link shares. */
async function packedIn(link: string): Promise<Record<string, string>> {
  const { fileName, body } = await openEndToEnd(link);
  const files = fileName === "files.zip" ? unzipSync(body) : { [fileName]: body };
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, decoded(content)]));
}

const names = (page: Page) => fileCard(page).getByRole("listitem").locator(".file-name");
const removeButton = (page: Page, name: string) => button(page, t("file.remove.named", { name }));

test("a file that was removed is not shared, however soon the form is sent @check", async ({ page }) => {
  await page.goto("/");
  await choose(
    page,
    text("a.txt", "e2e secret one"),
    text("b.txt", "e2e secret two"),
    text("c.txt", "e2e secret three"),
  );
  await expect(names(page)).toHaveText(["a.txt", "b.txt", "c.txt"]);
  const release = await holdReading(page);
  await removeButton(page, "a.txt").click();
  await button(page, t("share.submit")).click();
  await expect(names(page)).toHaveText(["b.txt", "c.txt"]);
  await expect(button(page, t("share.busy.sending"))).toBeVisible();
  await removeButton(page, "b.txt").click({ force: true });
  await hand(page, "drop", ["late.txt", "e2e secret too late"]);
  await expect(names(page)).toHaveText(["b.txt", "c.txt"]);
  await release(true);
  const { link } = await links(page);
  expect(await packedIn(link)).toEqual({ "b.txt": "e2e secret two", "c.txt": "e2e secret three" });
});

test("a file that was added is shared, however soon the form is sent", async ({ page }) => {
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret one"));
  await expect(names(page)).toHaveText(["a.txt"]);
  const release = await holdReading(page);
  await hand(page, "drop", ["b.txt", "e2e secret two"]);
  await button(page, t("share.submit")).click();
  await expect(names(page)).toHaveText(["a.txt", "b.txt"]);
  await release(true);
  const { link } = await links(page);
  expect(await packedIn(link)).toEqual({ "a.txt": "e2e secret one", "b.txt": "e2e secret two" });
});

test("a file that was removed is not shared if the others cannot be read again", async ({ page, context }) => {
  const sent = requests(context);
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret one"), text("b.txt", "e2e secret two"));
  await expect(names(page)).toHaveText(["a.txt", "b.txt"]);
  const release = await holdReading(page);
  await removeButton(page, "a.txt").click();
  await release(false);
  await expect(page.getByRole("alert")).toHaveText(t("file.unreadable", { name: "b.txt" }));
  await expect(names(page)).toHaveText(["b.txt"]);
  await expectAccessible(page);
  await button(page, t("share.submit")).click();
  await expect(button(page, t("share.submit"))).toBeEnabled();
  await expect(page.getByRole("alert")).toHaveText(t("file.unreadable", { name: "b.txt" }));
  expect(sent.filter((request) => request.url().includes("ConcealSecret"))).toHaveLength(0);
  await removeButton(page, "b.txt").click();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(button(page, t("file.choose"))).toBeFocused();
});

test("a file that cannot be read is not added, and the others stay", async ({ page }) => {
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret one"));
  await expect(names(page)).toHaveText(["a.txt"]);
  await page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function (this: Blob) {
      return (this as File).name === "b.txt" ? Promise.reject(new DOMException("gone")) : read.call(this);
    };
  });
  await hand(page, "drop", ["b.txt", "e2e secret two"]);
  await expect(page.getByRole("alert")).toHaveText(t("file.unreadable", { name: "b.txt" }));
  await expect(names(page)).toHaveText(["a.txt"]);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  expect(await packedIn(link)).toEqual({ "a.txt": "e2e secret one" });
});

test("two files are removed at once, and none of them stays", async ({ page }) => {
  await page.goto("/");
  await choose(page, text("a.txt", "e2e secret one"), text("b.txt", "e2e secret two"));
  await expect(names(page)).toHaveText(["a.txt", "b.txt"]);
  const release = await holdReading(page);
  await removeButton(page, "a.txt").click();
  await removeButton(page, "b.txt").click();
  await release(true);
  await expect(button(page, t("file.choose"))).toBeFocused();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(fileCard(page)).toHaveCount(0);
});

test("the sender sees which file it was, as long as this device remembers it, and no one else learns it", async ({
  page,
  context,
}) => {
  const sent = requests(context);
  await page.goto("/");
  await choose(page, text("plans of ada.txt", "e2e secret in a file"));
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await expect(page.locator(".card-give")).toContainText("plans of ada.txt");
  await expect(page.locator(".card-give")).toContainText("20 bytes");
  await page.getByLabel(t("receipt.remember")).check();
  await copyLink(page);
  await page.reload();
  await expect(heading(page, t("receipt.title"))).toBeVisible();
  await expect(page.locator(".card-keep")).toContainText("plans of ada.txt");
  await page.getByLabel(t("receipt.remember")).uncheck();
  await page.reload();
  await expect(page.getByLabel(t("receipt.remember"))).not.toBeChecked();
  await expect(page.getByText("plans of ada.txt")).toHaveCount(0);
  await expectNone(sent, "plans of ada.txt", secretOf(link));
});
