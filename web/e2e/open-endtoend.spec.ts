import type { Page, Route } from "@playwright/test";
import { brandedHost } from "./environment";
import { button, clipboard, expect, expectAccessible, heading, revealed, test, url } from "./fixtures";
import { base64, type Sealed, seal, text } from "./sealed";
import { conceal, kinds, rpc } from "./service";
import { t } from "./texts";

/** requests records what a page sends: addresses, headers and bodies. */
function requests(page: Page): string[] {
  const all: string[] = [];
  page.on("request", (request) => {
    all.push([request.method(), request.url(), JSON.stringify(request.headers()), request.postData() ?? ""].join(" "));
  });
  return all;
}

/** expectUnsent expects that no request holds any of these. */
function expectUnsent(sent: string[], canaries: string[]): void {
  expect(
    sent.some((request) => request.includes("/hush.v1.SecretService/")),
    "the requests were recorded",
  ).toBe(true);
  for (const canary of canaries) {
    expect(sent.filter((request) => request.includes(canary))).toEqual([]);
  }
}

/** asked counts the calls of a method. */
const asked = (sent: string[], method: string) => sent.filter((request) => request.includes(`/${method} `)).length;

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
  await expect(revealed(page)).toContainText("68.4 KiB");
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

/** changed returns a fragment with another link secret. */
function changed({ fragment }: Sealed): string {
  const digit = fragment.at(-1) === "a" ? "b" : "a";
  return fragment.slice(0, -1) + digit;
}

test("a link with a changed secret part says so, and consumes nothing @check", async ({ page }) => {
  const secret = await seal(text("e2e secret behind a changed link"));
  await page.goto(`/e#${changed(secret)}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toContainText(t("reveal.link"));
  expect(await kinds(secret.receipt)).not.toContain("KIND_PASSPHRASE");
  await expectAccessible(page);
  await page.getByLabel(t("ask.link"), { exact: true }).fill(`${url}/e#${secret.fragment}`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${url}/e#${secret.fragment}`);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  await page.goto(`/e#${changed(secret)}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toContainText(t("reveal.link"));
  // Another link in the address bar is another page.
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, secret.fragment);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret behind a changed link");
});

test("a reported error holds nothing of the link", async ({ page, expected }) => {
  expected.push(/boom/);
  const { fragment, key, canaries } = await seal(text("e2e secret behind an error"));
  const reporting = page.waitForRequest("**/ReceiveException");
  await page.goto(`/e#${fragment}`);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  await page.evaluate((words) => {
    setTimeout(() => {
      throw new Error(`boom at ${location.href} and /e%23${words} with ${words.slice(31)}`);
    });
  }, fragment);
  const report = (await reporting).postData() ?? "";
  expect(report).toContain("boom at");
  for (const canary of [key, fragment, ...canaries]) {
    expect(report).not.toContain(canary);
  }
});

test("incomplete and wrong links are told apart without asking the server", async ({ page }) => {
  const sent = requests(page);
  const { fragment, key } = await seal(text("e2e secret behind a cut link"));
  for (const [link, title] of [
    [fragment.slice(0, 73), t("open.bad.title")],
    [fragment.slice(0, 40), t("open.bad.title")],
    [`${fragment}0`, t("endtoend.wrong.title")],
    [key, t("open.bad.title")],
    [key + "z".repeat(43), t("endtoend.wrong.title")],
    [fragment.slice(0, 31).toUpperCase() + fragment.slice(31), t("endtoend.wrong.title")],
    ["", t("endtoend.title")],
  ] as const) {
    await page.goto("about:blank");
    await page.goto(`/e#${link}`);
    await expect(heading(page, title), link).toBeVisible();
  }
  expect(sent.filter((request) => request.includes("SecretService"))).toEqual([]);
  for (const link of [` ${fragment} `, `<${url}/e#${fragment}>.`, `${url}/e%23${fragment}`]) {
    await page.goto("about:blank");
    await page.goto("/e");
    await page.getByLabel(t("ask.link"), { exact: true }).fill(`${url}/e#${fragment.slice(0, 50)}`);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert")).toContainText(t("open.bad.title"));
    await page.getByLabel(t("ask.link"), { exact: true }).fill(link);
    await page.keyboard.press("Enter");
    await expect(button(page, t("open.reveal")), link).toBeVisible();
  }
  expectUnsent(sent, [fragment.slice(31), fragment.slice(31, 50)]);
});

test("a pasted link is refused with what is wrong with it, and nothing is asked", async ({ page }) => {
  const sent = requests(page);
  const { fragment } = await seal(text("e2e secret of another place"));
  await page.goto("/e");
  for (const [link, says] of [
    ["", t("ask.none")],
    [`${url}/e#${fragment}0`, t("ask.long")],
    [`https://evil.example/e#${fragment}`, t("ask.elsewhere", { host: "evil.example" })],
  ] as const) {
    await page.getByLabel(t("ask.link"), { exact: true }).fill(link);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert"), link).toContainText(says);
  }
  await expect(page).toHaveURL(`${url}/e`);
  expect(sent.filter((request) => request.includes("SecretService"))).toEqual([]);
});

test("each page leads to the other for a link of the other kind", async ({ page }) => {
  const server = await conceal({ secret: "e2e secret of the server" });
  const device = await seal(text("e2e secret of a device"));
  await page.goto("/e");
  await page.getByLabel(t("ask.link"), { exact: true }).fill(`${url}/s#${server.key}`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${url}/s#${server.key}`);
  await expect(page.getByText(t("encryption.server"), { exact: true })).toBeVisible();
  await page.goto("/s");
  await page.getByLabel(t("ask.link"), { exact: true }).fill(device.fragment);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${url}/e#${device.fragment}`);
  await expect(page.getByText(t("encryption.end_to_end"), { exact: true })).toBeVisible();
  await page.goto("about:blank");
  await page.goto(`/s#${device.fragment}`);
  await expect(page).toHaveURL(`${url}/e#${device.fragment}`);
  await button(page, t("open.reveal")).click();
  await expect(revealed(page)).toHaveText("e2e secret of a device");
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
  await expect(heading(page, t("endtoend.opened.title"))).toBeVisible();
  await expect(page.getByText(t("endtoend.opened"))).toBeVisible();
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

test("a page that may lose the secret asks before another one is shown", async ({ page, expected }) => {
  expected.push(/ERR_CONNECTION_RESET/, /^window: /);
  const secret = await seal(text("e2e secret that is nearly left"));
  await page.route("**/RevealSecret", lose);
  await page.goto(`/e#${secret.fragment}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("timer")).toBeVisible();
  // The fixture dismisses the question.
  const asking = page.waitForEvent("dialog");
  await page.getByRole("link", { name: t("app.about") }).click();
  expect((await asking).message()).toBe(t("reveal.leave"));
  await page.evaluate(() => {
    location.hash = "another";
  });
  await expect(page).toHaveURL(`${url}/e#${secret.fragment}`);
  await page.unroute("**/RevealSecret");
  await expect(revealed(page)).toHaveText("e2e secret that is nearly left");
  await page.getByRole("link", { name: t("app.about") }).click();
  await expect(page).toHaveURL(`${url}/about`);
});

test("the key of an end-to-end encrypted secret opens nothing on the other page", async ({ page }) => {
  const sent = requests(page);
  const { key, receipt } = await seal(text("e2e secret without its link"), "open sesame");
  await page.goto(`/s#${key}`);
  await expect(heading(page, t("open.bad.title"))).toBeVisible();
  await expect(page.getByRole("main").getByText(t("reveal.incomplete"))).toBeVisible();
  await expect(page.getByLabel(t("open.passphrase"), { exact: true })).toHaveCount(0);
  expect(asked(sent, "RevealSecret")).toBe(0);
  expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
});

// A server that can choose the kind could ask for the passphrase.
test("a link to an end-to-end encrypted secret opens no other, whatever the server says", async ({ page }) => {
  const device = await seal(text("e2e secret"), "open sesame");
  const server = await conceal({ secret: "e2e secret of the server", passphrase: "open sesame" });
  await page.goto(`/e#${server.key}${device.fragment.slice(31)}`);
  await expect(page.getByRole("alert")).toContainText(t("endtoend.disagreement"));
  await expect(button(page, t("open.reveal"))).toHaveCount(0);
  await expect(page.getByLabel(t("open.passphrase"), { exact: true })).toHaveCount(0);

  for (const encryption of ["ENCRYPTION_SERVER", "ENCRYPTION_UNSPECIFIED"]) {
    await page.goto("about:blank");
    await page.route("**/GetSecret", async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { secret: object };
      await route.fulfill({ response, json: { ...answer, secret: { ...answer.secret, encryption } } });
    });
    await page.goto(`/e#${device.fragment}`);
    await expect(page.getByRole("alert"), encryption).toContainText(t("endtoend.disagreement"));
    await expect(button(page, t("open.reveal"))).toHaveCount(0);
    await page.unroute("**/GetSecret");
  }
});

for (const mark of ["%23", "%2523"]) {
  test(`a link whose # became ${mark} is mended, and says who saw it`, async ({ page }) => {
    const device = await seal(text("e2e secret behind a mended link"));
    await page.goto(`/e${mark}${device.fragment}`);
    await expect(page.getByRole("alert")).toContainText(t("endtoend.mangled"));
    await expect(page.getByText(t("encryption.end_to_end"), { exact: true })).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText(t("encryption.end_to_end.text"));
    await expect(page).toHaveURL(`${url}/e#${device.fragment}`);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret behind a mended link");

    const server = await conceal({ secret: "e2e secret of the server behind a mended link" });
    await page.goto(`/s${mark}${server.key}`);
    await expect(page.getByRole("alert")).toContainText(t("reveal.mangled"));
    await expect(page).toHaveURL(`${url}/s#${server.key}`);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret of the server behind a mended link");

    await page.goto(`/e${mark}${device.fragment.slice(0, 50)}`);
    await expect(heading(page, t("open.bad.title"))).toBeVisible();
    await expect(page.getByRole("alert")).toContainText(t("endtoend.mangled"));
  });
}

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

/** both opens a secret of each kind. */
const both: Record<string, () => Promise<{ path: string; receipt: string }>> = {
  "of a device": async () => {
    const { fragment, receipt } = await seal(text("e2e secret that survives"));
    return { path: `/e#${fragment}`, receipt };
  },
  "of the server": async () => {
    const { key, receipt } = await conceal({ secret: "e2e secret that survives" });
    return { path: `/s#${key}`, receipt };
  },
};

/** lose lets the server do its work, and then breaks the connection. */
async function lose(route: Route): Promise<void> {
  await route.fetch().catch(() => undefined); // a server that fails loses the answer itself
  await route.abort("connectionreset");
}

for (const [name, share] of Object.entries(both)) {
  test(`a secret ${name} whose answer is lost is fetched again @check`, async ({ page, expected }) => {
    expected.push(/ERR_CONNECTION_RESET/);
    const { path, receipt } = await share();
    await page.route("**/RevealSecret", lose, { times: 2 });
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("timer")).toHaveText(/^1:\d\d$/);
    await expect(revealed(page)).toHaveText("e2e secret that survives");
    await expect.poll(() => kinds(receipt)).toContain("KIND_DELIVERED");
  });

  test(`a secret ${name} is fetched again from a server that was away`, async ({ page, expected }) => {
    expected.push(/status of 503/);
    const { path, receipt } = await share();
    await page.route("**/RevealSecret", (route) => route.fulfill({ status: 503, body: "away" }), { times: 2 });
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret that survives");
    await expect.poll(() => kinds(receipt)).toContain("KIND_DELIVERED");
  });

  test(`without a line, a secret ${name} is not sent for, and its button stays`, async ({ page, expected }) => {
    expected.push(/ERR_INTERNET_DISCONNECTED/);
    const sent = requests(page);
    const { path, receipt } = await share();
    await page.goto(path);
    await expect(button(page, t("open.reveal"))).toBeVisible();
    await page.context().setOffline(true);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("alert")).toHaveText(t("reveal.offline"));
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("alert")).toHaveText(t("reveal.offline"));
    await expectAccessible(page); // after this, the browser takes the line for up
    expect(asked(sent, "RevealSecret")).toBe(0);
    expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
    await page.context().setOffline(false);
    await expect(page.getByRole("alert")).toHaveCount(0);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret that survives");
  });

  test(`a cable that is pulled while a secret ${name} is opened loses nothing`, async ({ page, expected }) => {
    expected.push(/ERR_INTERNET_DISCONNECTED/);
    const { path, receipt } = await share();
    await page.route(
      "**/RevealSecret",
      async (route) => {
        await route.fetch();
        await page.context().setOffline(true);
        await route.abort("internetdisconnected");
      },
      { times: 1 },
    );
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("main").getByText(t("reveal.paused").split("{")[0] as string)).toBeVisible();
    await expect(page.getByRole("timer")).toHaveText(/^1:\d\d$/);
    await expect(page.getByRole("main")).not.toContainText(t("open.once"));
    await expectAccessible(page);
    await page.unroute("**/RevealSecret");
    await page.context().setOffline(false);
    await expect(revealed(page)).toHaveText("e2e secret that survives");
    await expect.poll(() => kinds(receipt)).toContain("KIND_DELIVERED");
  });

  test(`a lost confirmation of a secret ${name} is sent again`, async ({ page, expected }) => {
    expected.push(/ERR_CONNECTION_RESET/);
    const { path, receipt } = await share();
    await page.route("**/AcknowledgeReveal", (route) => route.abort("connectionreset"), { times: 2 });
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(revealed(page)).toHaveText("e2e secret that survives");
    await expect.poll(() => kinds(receipt)).toContain("KIND_DELIVERED");
  });

  test(`a secret ${name} belongs to the page that asked, also when it is closed`, async ({ page, other, expected }) => {
    expected.push(/ERR_CONNECTION_RESET/, /^window: /);
    const { path, receipt } = await share();
    await page.route("**/RevealSecret", lose);
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("timer")).toBeVisible();
    const leaving = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    expect((await leaving).type()).toBe("beforeunload");
    await page.close();
    await other.goto(path);
    await expect(heading(other, t("open.gone.title"))).toBeVisible();
    const events = await kinds(receipt);
    expect(events).toContain("KIND_REVEALED");
    expect(events).not.toContain("KIND_DELIVERED");
  });

  test(`after two minutes a lost answer to a secret ${name} is said to be late`, async ({ page, expected }) => {
    expected.push(/ERR_CONNECTION_RESET/, /status of 404/);
    const { path } = await share();
    await page.clock.install();
    await page.route("**/RevealSecret", (route) => route.abort("connectionreset"));
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("timer")).toBeVisible();
    await page.clock.fastForward("02:01");
    await expect(page.getByRole("main").getByText(t("reveal.late"))).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText(t("open.once"));
    await expect(page.getByRole("timer")).toHaveCount(0);
    await page.unroute("**/RevealSecret");
    await button(page, t("ui.retry")).click();
    await expect(revealed(page)).toHaveText("e2e secret that survives");
  });

  test(`a secret ${name} that is gone after a lost answer is said to be lost`, async ({ page, expected }) => {
    expected.push(/ERR_CONNECTION_RESET/);
    const { path, receipt } = await share();
    await page.route(
      "**/RevealSecret",
      async (route) => {
        await rpc("SecretService/BurnSecret", { metadataKey: receipt });
        await route.abort("connectionreset");
      },
      { times: 1 },
    );
    await page.goto(path);
    await button(page, t("open.reveal")).click();
    await expect(heading(page, t("reveal.lapsed.title"))).toBeVisible();
  });
}

test("with a passphrase it tries again once, and then a person decides", async ({ page, expected }) => {
  expected.push(/ERR_CONNECTION_RESET/);
  const secret = await seal(text("e2e secret that costs tries"), "open sesame");
  const sent = requests(page);
  await page.route("**/RevealSecret", (route) => route.abort("connectionreset"));
  await page.goto(`/e#${secret.fragment}`);
  await page.getByLabel(t("open.passphrase"), { exact: true }).fill("open sesame");
  await button(page, t("open.reveal")).click();
  const again = button(page, t("ui.retry"));
  await expect(again).toBeVisible();
  await expectAccessible(page);
  expect(asked(sent, "RevealSecret")).toBe(2);
  await page.unroute("**/RevealSecret");
  await again.click();
  await expect(revealed(page)).toHaveText("e2e secret that costs tries");
});

interface Answer {
  secret: object;
  content: string;
}

/** Each changes an answer as a dishonest server, or something on the way, could. */
const lies: Record<
  string,
  { change: (answer: Answer) => object | Promise<object>; says: "reveal.altered" | "reveal.kind" }
> = {
  "a changed content": { change: (a) => ({ ...a, content: flipped(a.content, 200) }), says: "reveal.altered" },
  "a changed commitment": { change: (a) => ({ ...a, content: flipped(a.content, 30) }), says: "reveal.altered" },
  "a content cut short": {
    change: (a) => ({ ...a, content: base64(Buffer.from(a.content, "base64").subarray(0, -20)) }),
    says: "reveal.altered",
  },
  "no content": { change: ({ secret }) => ({ secret }), says: "reveal.altered" },
  "a text in its place": {
    change: ({ secret }) => ({ secret, value: "e2e secret of a liar" }),
    says: "reveal.kind",
  },
  "another kind": {
    change: (a) => ({ ...a, secret: { ...a.secret, encryption: "ENCRYPTION_SERVER" } }),
    says: "reveal.kind",
  },
};

function flipped(content: string, at: number): string {
  const bytes = Buffer.from(content, "base64");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return base64(bytes);
}

for (const [name, { change, says }] of Object.entries(lies)) {
  test(`${name} is refused, and the true answer is still to be had`, async ({ page }) => {
    const sent = requests(page);
    const secret = await seal(text("e2e secret that is altered"));
    await page.route("**/RevealSecret", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: await change((await response.json()) as Answer) });
    });
    await page.goto(`/e#${secret.fragment}`);
    await button(page, t("open.reveal")).click();
    await expect(page.getByRole("main").getByText(t(says).split("{")[0] as string)).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText("liar");
    expect(asked(sent, "AcknowledgeReveal")).toBe(0);
    await page.unroute("**/RevealSecret");
    await button(page, t("ui.retry")).click();
    await expect(revealed(page)).toHaveText("e2e secret that is altered");
    expectUnsent(sent, secret.canaries);
  });
}

test("authentic content of a form that is not shown is said to be the sender's", async ({ page }) => {
  const sent = requests(page);
  const secret = await seal({ ...text(""), body: Uint8Array.of(0xff, 0xfe) });
  await page.goto(`/e#${secret.fragment}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("main").getByText(t("reveal.unfit"))).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText(t("open.once"));
  await expectAccessible(page);
  await expect(button(page, t("ui.retry"))).toHaveCount(0);
  expect(asked(sent, "RevealSecret")).toBe(1);
  expect(asked(sent, "AcknowledgeReveal")).toBe(0);
});

test("the content of another secret is refused", async ({ page }) => {
  const sent = requests(page);
  const secret = await seal(text("e2e secret that is swapped"));
  const other = await seal(text("e2e secret of another link"));
  let content = "";
  await page.route("**/RevealSecret", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as Answer), content } });
  });
  const elsewhere = await page.context().newPage();
  await elsewhere.route("**/RevealSecret", async (route) => {
    const response = await route.fetch();
    content = ((await response.json()) as Answer).content;
    await route.fulfill({ response });
  });
  await elsewhere.goto(`/e#${other.fragment}`);
  await button(elsewhere, t("open.reveal")).click();
  await expect(revealed(elsewhere)).toHaveText("e2e secret of another link");
  await page.goto(`/e#${secret.fragment}`);
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("main").getByText(t("reveal.altered").split("{")[0] as string)).toBeVisible();
  expect(asked(sent, "AcknowledgeReveal")).toBe(0);
});

// The parameters belong to the version: whatever the server adds to its answers, the
// device derives the same keys, and no passphrase leaves it.
test("a server that claims a passphrase gets none", async ({ page }) => {
  const sent = requests(page);
  const secret = await seal(text("e2e secret without a passphrase"));
  await page.route("**/GetSecret", async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { secret: object };
    const lie = { hasPassphrase: true, argon2id: { t: 1, m: 8 }, salt: "AAAA" };
    await route.fulfill({ response, json: { ...answer, secret: { ...answer.secret, ...lie } } });
  });
  await page.goto(`/e#${secret.fragment}`);
  await page.getByLabel(t("open.passphrase"), { exact: true }).fill("a password of mine");
  await button(page, t("open.reveal")).click();
  await expect(page.getByRole("alert")).toContainText(t("reveal.link"));
  expectUnsent(sent, [...secret.canaries, "a password of mine", base64(Buffer.from("a password of mine"))]);
});
