import { brandedHost } from "./environment";
import { button, clipboard, expect, expectAccessible, heading, openedTitle, revealed, test, url } from "./fixtures";
import { base64, seal, text } from "./sealed";
import { asked, expectUnsent, requests } from "./sent";
import { kinds } from "./service";
import { t } from "./texts";

const file = { kind: "file" as const, fileName: "клю́чи 🔑.tar.gz", mediaType: "text/html" };

test("a text is opened on the device, and nothing that decrypts it is sent @phone @check", async ({ page }) => {
  const sent = requests(page);
  const secret = await seal(text("e2e secret from a device"));
  await page.goto(`/e#${secret.fragment}`);
  await expect(page.getByText(t("encryption.end_to_end"), { exact: true })).toBeVisible();
  await expectAccessible(page);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret from a device");
  expect(sent.filter((request) => request.includes("/stretch-"))).toEqual([]);
  await expect(page).toHaveURL(`${url}/e`);
  await expect.poll(() => kinds(secret.receipt)).toContain("KIND_DELIVERED");
  expectUnsent(sent, [...secret.canaries, "e2e secret from a device", base64(Buffer.from("e2e secret from a device"))]);
  expect(await page.title()).not.toContain(secret.key);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  expect(stored).not.toContain(secret.key);

  await button(page, t("open.clear")).click();
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
  expect(await page.content()).not.toContain("from a device");
  await page.goto("about:blank");
  await page.goto(`/e#${secret.fragment}`);
  await expect(heading(page, t("open.gone.title"))).toBeVisible();
});

const awkward: Record<string, string> = {
  emoji: "👩‍👩‍👧‍👦 🏳️‍🌈 é",
  combining: "e\u0301 vs \u00e9, \u202eabc\u202c",
  "zero bytes and lines": "a\0b\r\nc\rd\n\te ",
  "a byte order mark": "\ufeffmarked",
  markup: `<img src=x onerror=alert(1)><script>alert(2)</script>`,
  "100 KiB": `${"0123456789abcdef".repeat(6400)}`,
};
for (const [name, body] of Object.entries(awkward)) {
  test(`${name} arrives as it was sent`, async ({ page }) => {
    const secret = await seal(text(body));
    await page.goto(`/e#${secret.fragment}`);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toBeVisible();
    expect((await revealed(page).evaluate((element) => element.textContent)) === body, name).toBe(true);
    const saving = page.waitForEvent("download");
    await button(page, t("open.download")).click();
    const saved = Buffer.concat(await (await (await saving).createReadStream()).toArray());
    expect(saved.equals(Buffer.from(body)), "the saved text").toBe(true);
    if (name === "emoji") {
      await button(page, t("open.copy")).click();
      await expect(button(page, t("open.copied"))).toBeVisible();
      expect(await clipboard(page)).toBe(body);
    }
  });
}

test("a file is saved under its name, and not shown @check", async ({ page, expected }) => {
  expected.push(/^window: /);
  const body = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256);
  const secret = await seal({ ...file, body });
  await page.goto(`/e#${secret.fragment}`);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toContainText(file.fileName);
  await expectAccessible(page);
  await expect(revealed(page)).toContainText("70 KB");
  // The fixture dismisses the question.
  const asking = page.waitForEvent("dialog");
  await page.getByRole("link", { name: t("app.about") }).click();
  expect((await asking).message()).toBe(t("reveal.file.leave"));
  const saving = page.waitForEvent("download");
  await button(page, t("reveal.file.save")).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(file.fileName);
  const saved = Buffer.concat(await (await download.createReadStream()).toArray());
  expect(saved.equals(Buffer.from(body)), "the saved file").toBe(true);
  await button(page, t("open.clear")).click();
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
});

/** A picture of one pixel, in a format that browsers draw. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("an image is shown, can be hidden, and is gone with the page", async ({ page }) => {
  const secret = await seal({ ...file, fileName: "photo.txt", body: pixel });
  await page.goto(`/e#${secret.fragment}`);
  await button(page, t("open.reveal")).click();
  const image = revealed(page).locator("img");
  await expect(image).toBeVisible();
  expect(await image.evaluate((element: HTMLImageElement) => element.decode().then(() => element.naturalWidth))).toBe(
    1,
  );
  const address = (await image.getAttribute("src")) ?? "";
  expect(address).toMatch(/^blob:/);
  await expectAccessible(page);
  await button(page, t("reveal.hide")).click();
  await expect(image).toHaveCount(0);
  await button(page, t("reveal.show")).click();
  await expect(image).toBeVisible();
  await button(page, t("reveal.file.save")).click();
  await button(page, t("open.clear")).click();
  await expect(heading(page, t("open.cleared.title"))).toBeVisible();
  await expect(page.locator("main img")).toHaveCount(0);
});

// A sender names a page or a drawing with scripts as if it were a picture.
test("what only says that it is an image is not shown", async ({ page }) => {
  for (const body of [
    `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
    `<!doctype html><script>alert(1)</script>`,
    "",
    "GIF",
  ]) {
    const secret = await seal({ ...file, fileName: "photo.png", mediaType: "image/png", body: Buffer.from(body) });
    await page.goto("about:blank");
    await page.goto(`/e#${secret.fragment}`);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toContainText("photo.png");
    await expect(page.locator("main img")).toHaveCount(0);
    await button(page, t("reveal.file.save")).click();
  }
});

for (const [name, spelling] of [
  ["composed", "pass \u00e9\u00fc 1"],
  ["decomposed", "pass e\u0301u\u0308 1"],
] as const) {
  test(`a passphrase opens in its ${name} spelling, and stays on the device`, async ({ page }) => {
    const sent = requests(page);
    const secret = await seal(text("e2e secret with letters"), "pass \u00e9u\u0308 1");
    await page.goto(`/e#${secret.fragment}`);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("alert")).toContainText(t("open.passphrase.missing"));
    expect(asked(sent, "RevealSecret"), "nothing is asked without a passphrase").toBe(0);
    await page.getByLabel(t("open.passphrase"), { exact: true }).fill(spelling);
    await page.keyboard.press("Enter");
    await expect(revealed(page)).toHaveText("e2e secret with letters");
    expectUnsent(sent, [...secret.canaries, spelling, base64(Buffer.from(spelling)), "pass "]);
    expect(page.workers()).toEqual([]);
  });
}

test("on a slow device the page says what it does, and stays usable", async ({ page }) => {
  const secret = await seal(text("e2e secret on a slow device"), "open sesame");
  let finish: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await page.route("**/stretch-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/e#${secret.fragment}`);
  await page.getByLabel(t("open.passphrase"), { exact: true }).fill("open sesame");
  await button(page, t("open.reveal")).click();
  await expect(button(page, t("reveal.deriving"))).toBeVisible();
  await page.getByText(t("encryption.more")).click();
  await expect(page.getByText(t("about.encryption.history"))).toBeVisible();
  expect(await kinds(secret.receipt)).not.toContain("KIND_REVEALED");
  finish();
  await expect(revealed(page)).toHaveText("e2e secret on a slow device");
});

test("a wrong passphrase says how many tries are left, and the right one opens @check", async ({ page }) => {
  const sent = requests(page);
  const secret = await seal(text("e2e secret behind a passphrase"), "open sesame");
  await page.goto(`/e#${secret.fragment}`);
  const field = page.getByLabel(t("open.passphrase"), { exact: true });
  for (const left of ["4", "3"]) {
    await field.fill("closed sesame");
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("alert")).toContainText(t("open.passphrase.wrong.other", { count: left }));
    await expect(field).toBeFocused();
  }
  await field.fill("open sesame");
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret behind a passphrase");
  expectUnsent(sent, [...secret.canaries, "sesame"]);
});

test("a refused step forward leaves no link in the history, and a reload says what was opened @check", async ({
  page,
  expected,
}) => {
  expected.push(/^window: /);
  const secret = await seal(text("e2e secret that forgets its link"));
  await page.goto(`/e#${secret.fragment}`);
  await page.getByRole("link", { name: t("app.about") }).click();
  await expect(page).toHaveURL(`${url}/about`);
  await page.evaluate(() => history.back());
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/RevealSecret", async (route) => {
    await held;
    await route.continue();
  });
  await button(page, t("open.reveal")).click();
  await expect(button(page, t("open.revealing"))).toBeVisible();
  // The fixture dismisses the question.
  const asking = page.waitForEvent("dialog");
  await page.evaluate(() => history.forward());
  expect((await asking).message()).toBe(t("reveal.leave"));
  await expect(page).toHaveURL(`${url}/e#${secret.fragment}`);
  answer();
  await expect(revealed(page)).toHaveText("e2e secret that forgets its link");
  await expect(page).toHaveURL(`${url}/e`);
  const devtools = await page.context().newCDPSession(page);
  const { entries } = await devtools.send("Page.getNavigationHistory");
  expect(entries.map((entry) => entry.url).filter((one) => one.includes("#"))).toEqual([]);

  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(openedTitle);
  await expect(page.getByText(t("opened.text"))).toBeVisible();
  await page.goto("/about");
  await page.goto("/e");
  await expect(heading(page, t("endtoend.title"))).toBeVisible();
});

test("a device without memory for a passphrase's key says so", async ({ page }) => {
  const secret = await seal(text("e2e secret for another device"), "open sesame");
  await page.route("**/stretch-*.js", async (route) => {
    const response = await route.fetch();
    const poor = `
      const All = globalThis.Uint32Array;
      globalThis.Uint32Array = class extends All {
        constructor(...given) {
          if (typeof given[0] === "number" && given[0] > 1_000_000) throw new RangeError("Array buffer allocation failed");
          super(...given);
        }
      };`;
    await route.fulfill({ response, body: poor + (await response.text()) });
  });
  await page.goto(`/e#${secret.fragment}`);
  await page.getByLabel(t("open.passphrase"), { exact: true }).fill("open sesame");
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toContainText(t("problem.device"));
  expect(page.workers()).toEqual([]);
  expect(await kinds(secret.receipt)).not.toContain("KIND_REVEALED");
  await page.unroute("**/stretch-*.js");
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret for another device");
});

test("a file whose name has 255 bytes is saved under a shorter one", async ({ page }) => {
  const fileName = `${"x".repeat(251)}.txt`;
  const secret = await seal({ ...file, fileName, body: Uint8Array.from([1, 2, 3]) });
  await page.goto(`/e#${secret.fragment}`);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toContainText(fileName);
  const saving = page.waitForEvent("download");
  await button(page, t("reveal.file.save")).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe(`${"x".repeat(196)}.txt`);
  expect(await download.failure()).toBeNull();
});

test("without WebCrypto the page says so before anything is asked", async ({ page, expected }) => {
  // Browsers leave it out on pages that came over plain HTTP from another machine.
  expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  const sent = requests(page);
  const { fragment, receipt } = await seal(text("e2e secret over plain HTTP"));
  await page.goto(`http://${brandedHost}/e#${fragment}`);
  await expect(page.getByRole("alert")).toContainText(t("endtoend.insecure"));
  const secure = page.getByRole("link", { name: t("endtoend.insecure.open") });
  await expect(secure).toHaveAttribute("href", `https://${brandedHost}/e#${fragment}`);
  expect(sent.filter((request) => request.includes("SecretService"))).toEqual([]);
  expect(await kinds(receipt)).toEqual(["KIND_CREATED"]);
});
