/* What the first script asks for while a page loads, and what the page's files weigh. */
import { get } from "node:http";
import { brotliDecompressSync } from "node:zlib";
import type { Page, Request } from "@playwright/test";
import { ada, button, expect, heading, signIn, test, url } from "./fixtures";
import { seal, text } from "./sealed";
import { conceal } from "./service";
import { t } from "./texts";

/** requests records what a page sends, in order. */
function requests(page: Page): Request[] {
  const all: Request[] = [];
  page.on("request", (request) => void all.push(request));
  return all;
}

/** named returns the requests with a name in their address. */
const named = (sent: Request[], name: string) => sent.filter((request) => request.url().includes(name));

/** bodies returns what the calls of a method sent. */
const bodies = (sent: Request[], method: string) => named(sent, `/${method}`).map((request) => request.postData());

/** isForFile reports whether a call asks if a link leads to a file: with the proof of the link, after the secret was found. */
const isForFile = (request: Request) => request.postData()?.includes('"linkProof"') ?? false;

/** first leaves out the calls that ask whether links lead to files. */
const first = (sent: Request[]) => sent.filter((request) => !isForFile(request));

/** The pages behind links: each returns a path, its key and what must not be sent. */
const pages: Record<string, () => Promise<{ path: string; key: string; canaries: string[] }>> = {
  "/s": async () => {
    const { key } = await conceal({ secret: "e2e early" });
    return { path: `/s#${key}`, key, canaries: [] };
  },
  "/e": async () => {
    const { key, fragment, canaries } = await seal(text("e2e early"));
    return { path: `/e#${fragment}`, key, canaries };
  },
  "/secret": async () => {
    const { key } = await conceal({ secret: "e2e early" });
    return { path: `/secret/${key}`, key, canaries: [] };
  },
};

for (const [name, page_] of Object.entries(pages)) {
  test(`${name} is asked for once, before the application is there, by its key alone`, async ({ page }) => {
    const sent = requests(page);
    const { path, key, canaries } = await page_();
    // The application comes only once the secret was asked for.
    const asked = page.waitForRequest("**/GetSecret");
    await page.route("**/assets/app-*.js", async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(path);
    await expect(button(page, t("open.reveal"))).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(bodies(first(sent), "GetSecret")).toEqual([JSON.stringify({ secretKey: key })]);
    expect(sent.filter(isForFile), "calls that ask for a file").toHaveLength(name === "/e" ? 1 : 0);
    expect(bodies(sent, "GetPolicy")).toHaveLength(1);
    expect(bodies(sent, "ValidateShrimp")).toEqual([]);
    expect(bodies(first(sent), "hush.v1."), "calls").toHaveLength(2);
    const order = first(sent).map((request) => new URL(request.url()).pathname);
    const addresses = new Set(order);
    expect(order, "nothing is requested twice").toEqual([...addresses]);
    for (const request of sent) {
      const whole = JSON.stringify([request.url(), await request.allHeaders(), request.postData()]);
      for (const canary of canaries) {
        expect(whole).not.toContain(canary);
      }
    }
  });

  test(`${name} opens without the first script, and asks once`, async ({ page, expected }) => {
    expected.push(/net::ERR_FAILED .*\/assets\/early-/);
    await page.route("**/assets/early-*.js", (route) => route.abort());
    const sent = requests(page);
    const { path, key } = await page_();
    await page.goto(path);
    await expect(button(page, t("open.reveal"))).toBeVisible();
    expect(bodies(first(sent), "GetSecret")).toEqual([JSON.stringify({ secretKey: key })]);
  });

  for (const status of [429, 503, 200]) {
    test(`${name} asks again if the first answer is ${status} and says nothing`, async ({ page, expected }) => {
      expected.push(/status of 503 .*GetSecret/);
      let answers = 0;
      await page.route("**/hush.v1.SecretService/GetSecret", (route) => {
        answers += isForFile(route.request()) ? 0 : 1;
        return answers === 1
          ? route.fulfill({ status, contentType: "application/json", body: `{"code":"unavailable"}` })
          : route.continue();
      });
      await page.goto((await page_()).path);
      await expect(button(page, t("open.reveal"))).toBeVisible();
      expect(answers).toBe(2);
    });
  }
}

test("what is gone is asked for once", async ({ page }) => {
  const sent = requests(page);
  const key = "0".repeat(31);
  for (const path of [`/s#${key}`, `/e#${key}${"a".repeat(43)}`, `/secret/${key}`]) {
    sent.length = 0;
    await page.goto("about:blank");
    await page.goto(path);
    await expect(heading(page, t("open.gone.title"))).toBeVisible();
    expect(bodies(sent, "GetSecret"), path).toEqual([JSON.stringify({ secretKey: key })]);
  }
});

test("a link that cannot open is asked for by no script", async ({ page }) => {
  const sent = requests(page);
  const key = "0".repeat(31);
  for (const path of ["/", "/s", `/s#${key}0`, "/secret/x", `/e#${key}`, `/e#${key}${"z".repeat(43)}`, `/r#${key}x`]) {
    sent.length = 0;
    await page.goto("about:blank");
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(named(sent, "/assets/early-"), path).toHaveLength(1);
    expect(bodies(sent, "GetSecret"), path).toEqual([]);
  }
});

test("a link that has to be mended is asked for once, by the application", async ({ page }) => {
  const sent = requests(page);
  const { key } = await conceal({ secret: "e2e early" });
  await page.goto(`/s#${key}.`);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  expect(bodies(sent, "GetSecret")).toEqual([JSON.stringify({ secretKey: key })]);
  const order = sent.map((request) => request.url());
  expect(order.findIndex((u) => u.includes("/GetSecret"))).toBeGreaterThan(
    order.findIndex((u) => u.includes("/wire-")),
  );
});

/** concealSignedIn shares a secret as the page's visitor does, with the session's token out of the policy. */
function concealSignedIn(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const call = async (procedure: string, request: object, shrimp = "") => {
      const headers = { "Content-Type": "application/json", "O-Shrimp": shrimp };
      const answer = await fetch(`/hush.v1.${procedure}`, { method: "POST", headers, body: JSON.stringify(request) });
      return await answer.json();
    };
    const { shrimp } = await call("SystemService/GetPolicy", {});
    return (await call("SecretService/ConcealSecret", { secret: "e2e early" }, shrimp)).secret.secretKey;
  });
}

test("no page asks for the token of a session by itself", async ({ page }) => {
  const sent = requests(page);
  await page.goto("/");
  await expect(page.getByRole("link", { name: t("app.signin") })).toBeVisible();
  await page.waitForLoadState("networkidle");
  await signIn(page, ada);
  const key = await concealSignedIn(page);
  for (const path of ["/", `/s#${key}`]) {
    await page.goto("about:blank");
    await page.goto(path);
    await expect(page.getByRole("button", { name: ada.address })).toBeVisible();
    await page.waitForLoadState("networkidle");
  }
  expect(bodies(sent, "ValidateShrimp")).toEqual([]);
  // The first script asks with the session, and the page knows by it whose the secret is.
  expect(bodies(sent, "GetSecret")).toEqual([JSON.stringify({ secretKey: key })]);
  await expect(page.getByText(t("open.own"), { exact: true })).toBeVisible();
  await button(page, t("open.reveal")).click();
  await expect(page.getByText("e2e early", { exact: true })).toBeVisible();
});

test("without the policy, the token of a session is asked for once", async ({ page, expected }) => {
  expected.push(/status of 503 .*GetPolicy/);
  await page.goto("/");
  await signIn(page, ada);
  await page.route("**/hush.v1.SystemService/GetPolicy", (route) => route.fulfill({ status: 503, body: "" }));
  const sent = requests(page);
  await page.goto("/about");
  await expect(page.getByRole("button", { name: ada.address })).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(bodies(sent, "ValidateShrimp")).toEqual(["{}"]);
});

/** fetched returns a file as the service sends it, and its coding. */
function fetched(path: string, accept: string): Promise<{ coding: string; vary: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(new URL(path, url), { headers: { "Accept-Encoding": accept } }, async (answer) => {
      const parts: Buffer[] = [];
      for await (const part of answer) {
        parts.push(part as Buffer);
      }
      const { "content-encoding": coding = "", vary = "" } = answer.headers;
      resolve({ coding, vary, body: Buffer.concat(parts) });
    }).on("error", reject);
  });
}

test("scripts and styles come in brotli, and are the plain files", async ({ page }) => {
  const files = new Map<string, string | undefined>();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (/\.(js|css)$/.test(pathname)) {
      files.set(pathname, response.headers()["content-encoding"]);
    }
  });
  await page.goto((await (pages["/e"] as (typeof pages)["/e"])()).path);
  await expect(button(page, t("open.reveal"))).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(files.size).toBeGreaterThan(5);
  let packed = 0;
  for (const [path, coding] of files) {
    const [plain, brotli] = [await fetched(path, "identity"), await fetched(path, "gzip;q=0.9, br")];
    expect(plain.coding, path).toBe("");
    expect([plain.vary, brotli.vary], path).toEqual(["Accept-Encoding", "Accept-Encoding"]);
    if (brotli.coding === "br") {
      packed += 1;
      expect(coding, path).toBe("br");
      expect(brotli.body.length, path).toBeLessThan(plain.body.length);
      expect(brotliDecompressSync(brotli.body).equals(plain.body), path).toBe(true);
    } else {
      expect(plain.body.length, path).toBeLessThanOrEqual(2048);
    }
  }
  expect(packed).toBeGreaterThan(5);
});

test("the first script has at most 2,048 bytes, imports nothing, and is the first", async ({ request }) => {
  for (const path of ["/", "/s", "/e", "/secret/x"]) {
    const html = await (await request.get(path)).text();
    const [, first = ""] = /<script\b[^>]*\ssrc="([^"]+)"/.exec(html) ?? [];
    expect(first, path).toMatch(/^\/assets\/early-/);
    const { body } = await fetched(first, "identity");
    expect(body.length).toBeLessThanOrEqual(2048);
    expect(body.toString()).not.toMatch(/\bimport\b/);
    for (const name of html.match(/\/assets\/[^" ]+/g) ?? []) {
      expect((await request.get(name)).status(), name).toBe(200);
    }
  }
});
