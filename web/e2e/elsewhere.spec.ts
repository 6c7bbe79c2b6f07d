/*
 * A page on another origin calls the service with connect-es. The pages come from
 * servers of their own, and no test here intercepts requests: the browser itself
 * asks (CORS), and what it does not allow the page does not get.
 */
import type { BrowserContext, Page } from "@playwright/test";
import { build } from "vite";
import type { Line } from "./elsewhere";
import { environment } from "./environment";
import { ada, expect, signIn, test, url } from "./fixtures";
import { reveal, rpc } from "./service";

const { elsewhere } = environment();
const { named, other, token } = elsewhere ?? { named: "", other: "", token: "" };
const protocols: Line["protocol"][] = ["connect", "grpc-web"];

test.describe.configure({ mode: "default" }); // one worker builds the script, once

test.beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: "warn",
    build: {
      outDir: ".tmp/elsewhere",
      copyPublicDir: false,
      rolldownOptions: { input: "e2e/elsewhere.ts", output: { entryFileNames: "elsewhere.js" } },
    },
  });
});

test.beforeEach(({ expected }) => {
  expect(named, "run by TestBrowser, which names the other origins").not.toBe("");
  expected.push(new RegExp(`^request to another host: (${named}|${other})/`));
});

/** visit opens the page of an origin. */
async function visit(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  await page.waitForFunction(() => globalThis.hushCalls);
  return page;
}

/** cookies collects the cookies that a page's calls of the service send and are answered with. */
function cookies(page: Page): () => Promise<string[]> {
  const seen: Promise<string[]>[] = [];
  // Not when requests finish: a client may stop reading once it has the trailers of gRPC-Web.
  page.on("response", (response) => {
    if (response.url().startsWith(url)) {
      seen.push(
        Promise.all([response.request().allHeaders(), response.allHeaders()]).then(([sent, got]) => [
          ...(sent.cookie ? [`Cookie: ${sent.cookie}`] : []),
          ...(got["set-cookie"] ? [`Set-Cookie: ${got["set-cookie"]}`] : []),
        ]),
      );
    }
  });
  return async () => {
    expect(seen.length, "calls that were answered").toBeGreaterThan(0);
    return (await Promise.all(seen)).flat();
  };
}

for (const protocol of protocols) {
  test(`a page of a named origin calls over ${protocol}, and reads what an error says @check`, async ({ page }) => {
    // Its person is signed in to the service, in the same browser and on the same host.
    await signIn(page, ada);
    const before = await page.context().cookies(url);
    expect(before.length, "cookies of the session").toBeGreaterThan(0);
    const app = await visit(page.context(), named);
    const found = cookies(app);
    const line: Line = { url, protocol, token };

    expect(await app.evaluate((line) => hushCalls.account(line), line)).toBe(ada.address);
    const made = await app.evaluate(
      (line) => hushCalls.conceal(line, { secret: "e2e secret of a page", passphrase: "open sesame" }),
      line,
    );
    if (!("key" in made)) {
      throw new Error(`conceal: got ${JSON.stringify(made)}, want keys`);
    }
    const wrong = await app.evaluate(([line, key]) => hushCalls.reveal(line, key, "wrong"), [line, made.key] as const);
    expect(wrong).toMatchObject({ code: "PermissionDenied", reason: "PASSPHRASE", triesLeft: expect.any(Number) });
    const opened = [line, made.key] as const;
    expect(await app.evaluate(([line, key]) => hushCalls.reveal(line, key, "open sesame"), opened)).toBe(
      "e2e secret of a page",
    );
    const refused = await app.evaluate((line) => hushCalls.account({ ...line, token: "none" }), line);
    expect(refused).toMatchObject({ code: "Unauthenticated" });
    // Its person's session is not the page's.
    const bare = await app.evaluate(({ url, protocol }) => hushCalls.account({ url, protocol }), line);
    expect(bare).toMatchObject({ code: "Unauthenticated" });

    expect(await found(), "cookies of the page's calls").toEqual([]);
    expect(await page.context().cookies(url), "cookies of the session").toEqual(before);
  });

  test(`a page of a named origin watches a receipt over ${protocol} @check`, async ({ context }) => {
    const app = await visit(context, named);
    const found = cookies(app);
    const line: Line = { url, protocol, token };
    const made = await app.evaluate((line) => hushCalls.conceal(line, { secret: "e2e secret to watch" }), line);
    if (!("key" in made)) {
      throw new Error(`conceal: got ${JSON.stringify(made)}, want keys`);
    }
    const ended = app.evaluate(([line, key]) => hushCalls.watch(line, key), [line, made.receipt] as const);
    // The stream arrives piece by piece: this much before the secret is opened.
    await app.waitForFunction(() => hushCalls.seen.includes("VIEWED"));
    expect(await app.evaluate(() => hushCalls.seen), "while the secret waits").not.toContain("RECEIVED");
    expect(await reveal(made.key)).toBe("e2e secret to watch");
    expect(await ended).toContain("RECEIVED");
    expect(await found(), "cookies of the page's calls").toEqual([]);
  });

  test(`a page of another origin gets nothing over ${protocol} @check`, async ({ context, expected }) => {
    expected.push(/blocked by CORS policy/, /net::ERR_FAILED/);
    const blocked: string[] = [];
    const page = await visit(context, other);
    page.on("console", (message) => void blocked.push(message.text()));
    const line: Line = { url, protocol, token };
    const memo = `e2e ${crypto.randomUUID()}`;
    const made = [line, { secret: "e2e secret from nowhere", memo }] as const;
    const failed = { code: "Unknown", message: "Failed to fetch" };
    expect(await page.evaluate(([line, draft]) => hushCalls.conceal(line, draft), made)).toMatchObject(failed);
    expect(await page.evaluate((line) => hushCalls.account(line), line)).toMatchObject(failed);
    const watched = await page.evaluate((line) => hushCalls.watch(line, "a".repeat(31)), line);
    expect(watched).toMatchObject(failed);
    expect(blocked.filter((text) => text.includes("blocked by CORS policy"))).toHaveLength(3);

    // The browser asked before it sent the call, so nothing was shared: what the page of
    // the named origin shares is listed, and that is not.
    const app = await visit(context, named);
    await app.evaluate(([line, draft]) => hushCalls.conceal(line, { ...draft, memo: `${draft.memo} named` }), made);
    const memos = await app.evaluate((line) => hushCalls.memos(line), line);
    expect(memos).toContain(`${memo} named`);
    expect(memos).not.toContain(memo);
  });
}

// The attack: a page of a named origin has the browser of someone who is signed in add
// the cookie. The port is another one and the host the same, so the browser would.
test("a page of a named origin does nothing with a cookie @check", async ({ page, expected }) => {
  expected.push(/blocked by CORS policy/, /net::ERR_FAILED/);
  await signIn(page, ada);
  const before = await page.context().cookies(url);
  const app = await visit(page.context(), named);
  for (const protocol of protocols) {
    const line: Line = { url, protocol, credentials: "include" };
    expect(await app.evaluate((line) => hushCalls.account(line), line)).toMatchObject({ code: "Unknown" });
  }
  // A call that browsers send without asking first brings the cookie.
  const path = "/api/v1/private/recent";
  const devtools = await app.context().newCDPSession(app);
  await devtools.send("Network.enable");
  let sent = "";
  devtools.on("Network.requestWillBeSentExtraInfo", ({ headers }) => {
    sent += headers.Cookie ?? "";
  });
  const read = await app.evaluate(
    (to) =>
      fetch(to, { credentials: "include" }).then(
        (answer) => `${answer.status}`,
        (error: Error) => error.message,
      ),
    url + path,
  );
  expect(read).toBe("Failed to fetch");
  await expect.poll(() => sent, "cookie of the call").toContain(`${before[0]?.name}=${before[0]?.value}`);
  // And the service takes it for no session, whether or not a browser shows the answer.
  for (const [origin, status] of [
    [named, 401],
    [url, 200],
  ] as const) {
    const answer = await page.request.post(`${url}/hush.v1.SessionService/ListSessions`, {
      headers: { Origin: origin, "O-Shrimp": await shrimp(page) },
      data: {},
    });
    expect(answer.status(), `ListSessions from ${origin}`).toBe(status);
    expect(answer.headers()["set-cookie"]).toBeUndefined();
  }
  expect(await page.context().cookies(url), "cookies of the session").toEqual(before);
});

/** shrimp returns the token against forged requests, as the service's own pages read it. */
async function shrimp(page: Page): Promise<string> {
  const cookie = (await page.context().cookies(url)).map(({ name, value }) => `${name}=${value}`).join("; ");
  const { shrimp } = await rpc<{ shrimp: string }>("SystemService/GetPolicy", {}, { Cookie: cookie, Origin: url });
  return shrimp;
}
