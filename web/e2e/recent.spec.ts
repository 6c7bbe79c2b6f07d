import { ada, button, copyLink, expect, links, type Page, revealed, signIn, test } from "./fixtures";
import { settle } from "./pages";
import { unfold } from "./shareform";
import { t } from "./texts";

interface Row {
  metadataKey: string;
  memo: string;
  state: string;
}

/** row is a receipt of an account. */
const rowOf = (memo: string, state: string): Row => ({
  metadataKey: memo.repeat(31).slice(0, 31),
  memo: `label ${memo}`,
  state: `STATE_${state}`,
});

/** answer answers for an account that has these receipts, so many on a page. It returns the filters that were asked for. */
async function answer(page: Page, rows: readonly Row[], size: number): Promise<string[]> {
  const asked: string[] = [];
  await page.route("**/hush.v1.MetadataService/ListMetadata", (route) => {
    const { states = [], pageToken = "0" } = route.request().postDataJSON() as {
      states?: string[];
      pageToken?: string;
    };
    asked.push(states.join() || "all");
    const found = rows.filter(({ state }) => states.length === 0 || states.includes(state));
    const end = Number(pageToken) + size;
    const nextPageToken = end < found.length ? `${end}` : "";
    return route.fulfill({ json: { metadata: found.slice(Number(pageToken), end), nextPageToken } });
  });
  await page.route("**/hush.v1.MetadataService/BatchGetMetadata", (route) => {
    const { metadataKeys } = route.request().postDataJSON() as { metadataKeys: string[] };
    return route.fulfill({ json: { metadata: rows.filter(({ metadataKey }) => metadataKeys.includes(metadataKey)) } });
  });
  return asked;
}

const filters = (page: Page) => page.getByRole("group", { name: t("recent.filter"), exact: true });
const filter = (page: Page, name: "all" | "waiting" | "received" | "burned") =>
  filters(page).getByRole("radio", { name: new RegExp(`^${t(`recent.filter.${name}`)}( ?[0-9]+\\+?)?$`) });
const labels = (page: Page) => page.locator(".receipts .receipt-what > a");

test("the list counts, and shows by itself what was opened @phone", async ({ page, other }) => {
  await signIn(page, ada);
  const label = `live ${crypto.randomUUID().slice(0, 8)}`;
  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret of a live list");
  await unfold(page, "more");
  await page.getByLabel(t("share.label")).fill(label);
  await button(page, t("share.submit")).click();
  const { link } = await links(page);
  await copyLink(page); // or leaving the page would ask first
  let calls = 0;
  page.on("request", (request) => {
    calls += request.url().endsWith("/ListMetadata") ? 1 : 0;
  });
  await page.clock.install();
  await page.goto("/recent");
  await settle(page);
  const search = page.getByLabel(t("recent.search"));
  const row = page.getByRole("listitem").filter({ hasText: label });
  await search.fill(label);
  await expect(row.getByText(t("recent.state.waiting"), { exact: true })).toBeVisible();
  await expect(
    filters(page).getByRole("radio", { name: new RegExp(`^${t("recent.filter.all")} ?[0-9]+\\+?$`) }),
  ).toBeChecked();
  const [tools, last] = [await page.locator(".recent-tools").boundingBox(), await search.boundingBox()];
  expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo((tools?.x ?? 0) + (tools?.width ?? 0), 0);
  expect(await page.locator(".recent-tools .segmented-options").evaluate((row) => row.clientHeight)).toBeLessThan(64);

  await other.goto(link);
  await button(other, t("open.reveal")).click();
  await expect(revealed(other)).toHaveText("e2e secret of a live list");
  await page.clock.fastForward(65_000); // the first look at the 25 that a page follows at most
  await expect(row.getByText(t("recent.state.received"), { exact: true })).toBeVisible();
  expect(calls, "calls of the list").toBe(1);
});

test("a list that is loaded filters without a call, and has what was shared elsewhere when its visitor returns", async ({
  page,
}) => {
  await signIn(page, ada);
  const rows = [rowOf("a", "NEW"), rowOf("b", "RECEIVED")];
  const asked = await answer(page, rows, 50);
  await page.goto("/recent");
  await expect(labels(page)).toHaveText(["label a", "label b"]);
  await filter(page, "received").check({ force: true });
  await expect(labels(page)).toHaveText(["label b"]);
  await filter(page, "waiting").check({ force: true });
  await expect(labels(page)).toHaveText(["label a"]);
  expect(asked).toEqual(["all"]);

  rows.unshift(rowOf("c", "NEW"));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // as if it had been hidden
  await expect(labels(page)).toHaveText(["label c", "label a"]);
  await expect(filter(page, "waiting")).toHaveAccessibleName(/2$/);
});

test("filters of a list with more pages agree after a secret was opened", async ({ page, expected }) => {
  expected.push(/Failed to load resource: the server responded with a status of 503/);
  await signIn(page, ada);
  const rows = [rowOf("a", "NEW"), rowOf("b", "RECEIVED"), rowOf("c", "NEW")];
  await answer(page, rows, 2);
  await page.clock.install();
  await page.goto("/recent");
  await expect(labels(page)).toHaveText(["label a", "label b"]);
  await filter(page, "received").check({ force: true });
  await expect(labels(page)).toHaveText(["label b"]);
  await filter(page, "waiting").check({ force: true });
  await expect(labels(page)).toHaveText(["label a", "label c"]);

  rows[0] = rowOf("a", "RECEIVED");
  await page.clock.fastForward(10_000);
  await expect(labels(page)).toHaveText(["label c"]);
  await filter(page, "received").check({ force: true });
  await expect(labels(page)).toHaveText(["label a", "label b"]);
  await filter(page, "all").check({ force: true });
  await expect(labels(page)).toHaveText(["label a", "label b"]);

  await page.route("**/ListMetadata", (route) => route.fulfill({ status: 503, body: "away" }), { times: 1 });
  await filter(page, "burned").check({ force: true });
  await expect(page.locator(".notice")).toBeVisible();
  await filter(page, "waiting").check({ force: true });
  await expect(labels(page)).toHaveText(["label c"]);
  await expect(page.locator(".notice")).toHaveCount(0);
});

test("only a list that asks again within seconds is called live", async ({ page }) => {
  await signIn(page, ada);
  const rows = [rowOf("a", "NEW")];
  await answer(page, rows, 50);
  await page.goto("/recent");
  const live = page.getByText(t("receipt.live"), { exact: true });
  await expect(labels(page)).toHaveCount(1);
  await expect(live).toBeVisible();
  rows.push(...[..."bcdefghij"].map((name) => rowOf(name, "NEW")));
  await page.reload();
  await expect(labels(page)).toHaveCount(10);
  await expect(live).toHaveCount(0);
});
