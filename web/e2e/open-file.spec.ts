import { createHash } from "node:crypto";
import { patterned, sendFile } from "./filesent";
import { button, expectAccessible, heading, type Page, expect as soon, test, url } from "./fixtures";
import { asked, expectUnsent, requests } from "./sent";
import { kinds } from "./service";
import { stored } from "./stored";
import { t } from "./texts";

/** A whole file may take long on a busy machine. */
const expect = soon.configure({ timeout: 60_000 });

/** Two parts, and three. */
const body = patterned(9_400_000);
const longer = patterned(17_800_000);
const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Way is a place where a browser saves files. */
type Way = "disk" | "browser" | "kept" | "memory";

/** only leaves a page one way of saving a file. The picker itself cannot be driven: a file of the browser stands for the chosen one. */
async function only(page: Page, way: Way): Promise<void> {
  await page.addInitScript((way) => {
    if (way === "disk") {
      Object.assign(window, {
        showSaveFilePicker: async (options: { suggestedName: string }) => {
          Object.assign(window, { suggested: options.suggestedName, active: navigator.userActivation.isActive });
          const root = await navigator.storage.getDirectory();
          return await root.getFileHandle("chosen", { create: true });
        },
      });
    } else {
      delete (window as { showSaveFilePicker?: unknown }).showSaveFilePicker;
    }
    if (way === "kept" || way === "memory") {
      delete (Navigator.prototype as { serviceWorker?: unknown }).serviceWorker;
    }
    if (way === "memory") {
      delete (StorageManager.prototype as { getDirectory?: unknown }).getDirectory;
    }
  }, way);
}

/** chosen returns the hash of what is in the file that stands for the chosen one; undefined if there is none. */
async function chosen(page: Page): Promise<string | undefined> {
  return await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const handle = await root.getFileHandle("chosen").catch(() => undefined);
    const bytes = await (await handle?.getFile())?.arrayBuffer();
    if (!bytes) {
      return undefined;
    }
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  });
}

/** saved waits for what the browser downloads, and returns its name and hash. */
async function saved(page: Page, act: () => Promise<void>): Promise<{ name: string; hash: string }> {
  const saving = page.waitForEvent("download", { timeout: 60_000 });
  await act();
  const download = await saving;
  const chunks = await (await download.createReadStream()).toArray();
  return { name: download.suggestedFilename(), hash: sum(Buffer.concat(chunks)) };
}

/** session returns what the tab keeps. */
async function session(page: Page): Promise<string> {
  return await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
}

const fileName = "клю́чи 🔑.tar.gz";

test("a file shows what it is, and is saved where the visitor chose @phone @check", async ({ page }) => {
  await only(page, "disk");
  const sent = requests(page);
  const note = 'See https://example.org/ and <b onclick="alert(1)">this</b>.\nThe newest is last.';
  const file = await sendFile({ fileName, body, note, count: 3 });
  await page.goto(`/e#${file.fragment}`);
  await expect(heading(page, t("download.title"))).toBeVisible();
  const described = page.getByRole("region", { name: t("download.file") });
  await expect(described).toContainText(fileName);
  await expect(described).toContainText("9.4 MB");
  await expect(described).toContainText(t("download.archive.other", { count: "3" }));
  await expect(described.locator("blockquote")).toHaveText(note);
  await expect(described.locator("a, b, img")).toHaveCount(0);
  await expectAccessible(page);
  expect(asked(sent, "RevealSecret"), "nothing is opened before the press").toBe(0);
  await button(page, t("download.submit")).click();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  await expectAccessible(page);
  const picked = await page.evaluate(() => {
    const { suggested, active } = window as unknown as { suggested: string; active: boolean };
    return [suggested, active];
  });
  expect(picked, "the name, and whether it was in the click").toEqual([fileName, true]);
  expect(await chosen(page)).toBe(sum(body));
  await expect.poll(() => kinds(file.receipt)).toContain("KIND_DELIVERED");
  await expect(page).toHaveURL(`${url}/e`);
  await expect.poll(() => session(page)).toBe("{}");
  expect(JSON.parse(await stored(page))).toMatchObject({ workers: [] });
  expectUnsent(sent, file.canaries);
});

test("a file is saved among the browser's downloads, and ends on the visitor's word @check", async ({ page }) => {
  await only(page, "browser");
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  const { name, hash } = await saved(page, () => button(page, t("download.submit")).click());
  expect([name, hash]).toEqual([fileName, sum(body)]);
  await expect(heading(page, t("download.confirm.title"))).toBeVisible();
  await expectAccessible(page);
  expect(await kinds(file.receipt)).not.toContain("KIND_DELIVERED");
  await button(page, t("download.confirm.yes")).click();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  await expect.poll(() => kinds(file.receipt)).toContain("KIND_DELIVERED");
  const { caches, workers } = JSON.parse(await stored(page)) as Record<string, string[]>;
  expect([caches, workers]).toEqual([[], [`${url}/dl/`]]);
});

test("a visitor whom the download did not reach fetches it again", async ({ page }) => {
  await only(page, "browser");
  const file = await sendFile({ fileName: "a.bin", body });
  await page.goto(`/e#${file.fragment}`);
  await saved(page, () => button(page, t("download.submit")).click());
  const { hash } = await saved(page, async () => {
    await button(page, t("download.confirm.no")).click();
    await button(page, t("download.again")).click();
  });
  expect(hash).toBe(sum(body));
});

for (const way of ["kept", "memory"] as const) {
  test(`a file is saved by way of the browser's ${way === "kept" ? "storage" : "memory"}`, async ({ page }) => {
    await only(page, way);
    const file = await sendFile({ fileName, body });
    await page.goto(`/e#${file.fragment}`);
    const first = await saved(page, () => button(page, t("download.submit")).click());
    expect([first.name, first.hash]).toEqual([fileName, sum(body)]);
    await expect(heading(page, t("download.saved.title"))).toBeVisible();
    await expect.poll(() => kinds(file.receipt)).toContain("KIND_DELIVERED");
    const second = await saved(page, () => button(page, t("download.saved.again")).click());
    expect(second.hash).toBe(sum(body));
    await expect.poll(() => session(page)).toBe("{}");
    if (way === "kept") {
      const other = await sendFile({ fileName: "b.bin", body: patterned(1000) });
      await page.goto("about:blank");
      await page.goto(`/e#${other.fragment}`);
      await expect.poll(() => kept(page), "what the visit before has left").toEqual([]);
    }
  });
}

/** kept returns the names of the files in the browser's own storage. */
async function kept(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const all = (await root.getDirectoryHandle("hush-files", { create: true })) as unknown as {
      keys: () => AsyncIterable<string>;
    };
    const names: string[] = [];
    for await (const name of all.keys()) {
      names.push(name);
    }
    return names;
  });
}

test("a file that still arrives is opened once it is complete", async ({ page }) => {
  await only(page, "memory");
  const file = await sendFile({ fileName: "a.bin", body, parts: 1 });
  await page.goto(`/e#${file.fragment}`);
  await expect(button(page, t("download.arriving", { part: "50%" }))).toHaveAttribute("aria-disabled", "true");
  await expectAccessible(page);
  await button(page, t("download.arriving", { part: "50%" })).click({ force: true });
  await file.finish();
  const { hash } = await saved(page, () => button(page, t("download.submit")).click());
  expect(hash).toBe(sum(body));
});

test("with a passphrase the file is shown once it was right", async ({ page }) => {
  await only(page, "memory");
  const sent = requests(page);
  const file = await sendFile({ fileName, body, passphrase: "open sesame" });
  await page.goto(`/e#${file.fragment}`);
  const field = page.getByLabel(t("open.passphrase"), { exact: true });
  await expect(button(page, t("download.unlock"))).toBeVisible();
  await expect(page.getByText(fileName)).toHaveCount(0);
  await expectAccessible(page);
  await field.fill("closed sesame");
  await button(page, t("download.unlock")).click();
  await expect(page.getByRole("alert")).toContainText(t("open.passphrase.wrong.other", { count: "4" }));
  await field.fill("open sesame");
  await button(page, t("download.unlock")).click();
  await expect(page.getByRole("region", { name: t("download.file") })).toContainText(fileName);
  const { name, hash } = await saved(page, () => button(page, t("download.submit")).click());
  expect([name, hash]).toEqual([fileName, sum(body)]);
  expectUnsent(sent, [...file.canaries, "sesame"]);
});

test("a broken line goes on at the same part", async ({ page, expected }) => {
  expected.push(/net::ERR_/);
  await only(page, "disk");
  const numbers: string[] = [];
  let broken = 2;
  await page.route("**/GetPart", async (route) => {
    numbers.push(route.request().postDataBuffer()?.toString("hex").slice(-4) ?? "");
    if (numbers.length > 1 && broken > 0) {
      broken -= 1;
      await route.abort("connectionreset");
    } else {
      await route.continue();
    }
  });
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await expect(page.getByText(t("download.broken"))).toBeVisible();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  expect(await chosen(page)).toBe(sum(body));
  expect(numbers.length, "calls for two parts, two of which were cut").toBe(4);
});

test("a changed part leaves nothing, and the file can be fetched again", async ({ page }) => {
  await only(page, "disk");
  let spoils = true;
  await page.route("**/GetPart", async (route) => {
    const response = await route.fetch();
    const answer = await response.body();
    if (spoils && answer.length < 8_000_000) {
      spoils = false;
      answer[1_000_000]! ^= 1;
    }
    await route.fulfill({ response, body: answer });
  });
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("download.altered").slice(0, 60));
  await expectAccessible(page);
  expect(await chosen(page), "the file that was chosen").toBeUndefined();
  expect(await kinds(file.receipt)).not.toContain("KIND_DELIVERED");
  await button(page, t("download.again")).click();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  expect(await chosen(page)).toBe(sum(body));
});

test("a changed part breaks off the browser's download", async ({ page }) => {
  await only(page, "browser");
  await page.route("**/GetPart", async (route) => {
    const response = await route.fetch();
    const answer = await response.body();
    if (answer.length < 8_000_000) {
      answer[1_000_000]! ^= 1;
    }
    await route.fulfill({ response, body: answer });
  });
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  const saving = page.waitForEvent("download", { timeout: 60_000 });
  await button(page, t("download.submit")).click();
  expect(await (await saving).failure(), "the download").not.toBeNull();
  await expect(page.getByRole("alert")).toContainText(t("download.altered").slice(0, 60));
  expect(await kinds(file.receipt)).not.toContain("KIND_DELIVERED");
});

/** hold lets calls for parts behind the first ones wait until the returned function is called. */
async function hold(page: Page, first: number): Promise<{ release: () => void; calls: () => number }> {
  let calls = 0;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/GetPart", async (route) => {
    calls += 1;
    if (calls > first) {
      await held;
    }
    await route.continue().catch(() => undefined);
  });
  return { release, calls: () => calls };
}

test("a page that is loaded again has the file still, and begins anew", async ({ page }) => {
  await only(page, "disk");
  const { release } = await hold(page, 1);
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await expect(page.getByText(t("download.keep.anew"))).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  release();
  await expect(page.getByText(t("download.reload").slice(0, 60))).toBeVisible();
  await expect(page.getByRole("region", { name: t("download.file") })).toContainText(fileName);
  await button(page, t("download.again")).click();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  expect(await chosen(page)).toBe(sum(body));
  await expect.poll(() => session(page)).toBe("{}");
});

test("a page that is loaded again goes on where the browser's storage has the beginning", async ({ page }) => {
  await only(page, "kept");
  const { release, calls } = await hold(page, 2);
  const file = await sendFile({ fileName, body: longer });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await expect(page.getByText(t("download.keep.on"))).toBeVisible();
  await expect.poll(() => session(page)).toMatch(/written\\*":[1-9]/);
  const { hash } = await saved(page, async () => {
    await page.reload();
    release();
  });
  expect(hash).toBe(sum(longer));
  expect(calls(), "two, one that was cut, one for the header and those that were missing").toBeLessThanOrEqual(7);
  await expect.poll(() => kinds(file.receipt)).toContain("KIND_DELIVERED");
});

test("a second tab with the same link is kept from the file", async ({ page, context }) => {
  await only(page, "disk");
  const { release } = await hold(page, 0);
  const file = await sendFile({ fileName, body });
  const other = await context.newPage();
  await only(other, "disk");
  for (const one of [page, other]) {
    await one.goto(`/e#${file.fragment}`);
    await expect(button(one, t("download.submit"))).toBeVisible();
  }
  await button(page, t("download.submit")).click();
  await expect(button(page, t("ui.cancel")).or(button(page, t("download.opening")))).toBeVisible();
  await button(other, t("download.submit")).click();
  await expect(other.getByText(t("download.elsewhere"))).toBeVisible();
  await expectAccessible(other);
  release();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  await button(other, t("download.submit")).click();
  await expect(heading(other, t("open.gone.title"))).toBeVisible();
});

test("a cancelled download leaves nothing, and stays the visitor's", async ({ page }) => {
  await only(page, "disk");
  const { release } = await hold(page, 1);
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await button(page, t("ui.cancel")).click();
  await expect(page.getByText(t("download.cancelled").slice(0, 30))).toBeVisible();
  expect(await chosen(page)).toBeUndefined();
  release();
  await button(page, t("download.again")).click();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
  expect(await chosen(page)).toBe(sum(body));
});

test("a disk without room is no loss", async ({ page }) => {
  await only(page, "disk");
  await page.addInitScript(() => {
    let full = true;
    const { write } = FileSystemWritableFileStream.prototype;
    FileSystemWritableFileStream.prototype.write = function (this: FileSystemWritableFileStream, piece) {
      if (full) {
        full = false;
        return Promise.reject(new DOMException("full", "QuotaExceededError"));
      }
      return write.call(this, piece);
    };
  });
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await expect(page.getByText(t("download.room").slice(0, 30))).toBeVisible();
  await button(page, t("download.again")).click();
  await expect(heading(page, t("download.saved.title"))).toBeVisible();
});

test("a file of which the claim has lapsed is gone", async ({ page }) => {
  await only(page, "memory");
  await page.route("**/GetPart", (route) =>
    route.fulfill({ status: 404, contentType: "application/json", body: '{"code":"not_found"}' }),
  );
  const file = await sendFile({ fileName, body });
  await page.goto(`/e#${file.fragment}`);
  await button(page, t("download.submit")).click();
  await expect(heading(page, t("download.gone.title"))).toBeVisible();
  await expect.poll(() => session(page)).toBe("{}");
});
