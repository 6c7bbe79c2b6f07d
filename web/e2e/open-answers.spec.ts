import type { Route } from "@playwright/test";
import { button, expect, expectAccessible, heading, revealed, test, url } from "./fixtures";
import { base64, seal, text } from "./sealed";
import { asked, expectUnsent, requests } from "./sent";
import { conceal, kinds, rpc } from "./service";
import { t } from "./texts";

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
