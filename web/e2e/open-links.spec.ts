import { button, expect, expectAccessible, heading, revealed, test, url } from "./fixtures";
import { type Sealed, seal, text } from "./sealed";
import { asked, expectUnsent, requests } from "./sent";
import { conceal, kinds } from "./service";
import { t } from "./texts";

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
    [`${url}/e#${fragment}0`, t("open.bad.long")],
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
