import type { Page } from "@playwright/test";
import { brandedHost } from "./environment";
import { ada, button, expect, expectAccessible, heading, linkField, links, revealed, signIn, test } from "./fixtures";
import { hostile } from "./hostile";
import { setDNS } from "./service";
import { chooseKind, unfold } from "./shareform";
import { german, t } from "./texts";

test("a domain is added, verified, given a brand and used for a link @check", async ({
  page,
  other,
  browser,
  contextOptions,
  expected,
}) => {
  // The domain has no TLS in this test, and the browser logs that.
  expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  expected.push(/ERR_CONNECTION_RESET/);
  await signIn(page, ada);
  await addDomain(page);
  if (!(await heading(page, brandedHost).isVisible())) {
    // An attempt before this one ended before it removed the domain.
    await page.goto(`/account/domains/${brandedHost}`);
    await removeDomain(page);
    await addDomain(page);
  }
  await expect(heading(page, brandedHost)).toBeVisible();
  await expectAccessible(page);

  const record = page.getByRole("group", { name: t("domain.record.label", { type: "TXT" }) });
  const name = await record.getByLabel(t("domain.record.name"), { exact: true }).inputValue();
  await setDNS({ name, txt: [] }); // which an attempt before this one may have set
  await button(page, t("domain.verify")).click();
  await expect(page.getByText(t("domain.problem.no_txt"))).toBeVisible();
  await expectAccessible(page);
  await setDNS({ name, txt: [await record.getByLabel(t("domain.record.value"), { exact: true }).inputValue()] });
  await setDNS({ name: brandedHost, addresses: ["192.0.2.1"] });
  await button(page, t("domain.verify")).click();
  await expect(page.getByText(t("domain.state.verified"), { exact: true })).toBeVisible();

  await page.getByLabel(`${t("brand.color")} ${t("ui.optional")}`, { exact: true }).fill("#2f6f4f");
  await page.getByLabel(t("brand.description")).fill(`Of the otters ${hostile}`);
  await expect(page.locator(".preview")).toContainText("Of the otters");
  await page.getByLabel(t("brand.before")).fill(`Call us first ${hostile}`);
  await page.getByLabel(t("brand.beside")).fill(`Change it soon ${hostile}`);
  await page.getByLabel(t("brand.after")).fill(`Thank you ${hostile}`);
  await page.getByLabel(`${t("brand.locale")} ${t("ui.optional")}`, { exact: true }).selectOption("de");
  await button(page, t("brand.save")).click();
  await expect(page.getByText(t("brand.unchanged"))).toBeVisible();
  await upload(page, t("image.logo"));
  await upload(page, t("image.icon"));
  await expectAccessible(page);

  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret of the otters");
  await unfold(page, "more");
  await page.getByLabel(t("share.domain")).selectOption(brandedHost);
  await button(page, t("share.submit")).click();
  const endToEnd = await links(page);
  expect(endToEnd.link).toMatch(new RegExp(`^http://${brandedHost}/e#[0-9A-Za-z]{74}$`));

  // A browser encrypts nothing on the branded host, which has no TLS in this test.
  await page.goto("/");
  await chooseKind(page, "server");
  await page.getByLabel(t("share.secret")).fill("e2e secret of the otters");
  await page.getByLabel(t("share.domain")).selectOption(brandedHost);
  await button(page, t("share.submit")).click();
  await expect(linkField(page)).toHaveValue(new RegExp(`^http://${brandedHost}/s#[0-9a-z]{31}$`));
  const link = await linkField(page).inputValue();

  const swedish = await browser.newContext({ ...contextOptions, locale: "sv-SE" });
  const stranger = await swedish.newPage();
  await stranger.goto(link);
  await expect(button(stranger, german("open.reveal"))).toBeVisible();
  await swedish.close();

  await other.goto(link);
  await expect(heading(other, t("open.title.domain", { domain: brandedHost }))).toBeVisible();
  await expect(other.getByText("Of the otters")).toContainText("<svg onload=alert(2)>");
  await expect(other.getByText("Call us first")).toBeVisible();
  const logo = other.getByRole("img", { name: brandedHost });
  await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expect(other.locator('link[rel="icon"]')).toHaveAttribute("href", /^\/imagine\/.+\/icon\.png$/);
  const reveal = button(other, t("open.reveal"));
  await expect(reveal).toHaveCSS("background-color", "rgb(47, 111, 79)");
  await expectAccessible(other);
  await reveal.click();
  await expect(revealed(other)).toHaveText("e2e secret of the otters");
  await expect(other.getByText("Change it soon")).toBeVisible();
  await button(other, t("open.clear")).click();
  await expect(other.getByText("Thank you")).toBeVisible();

  await other.goto(endToEnd.link);
  await expect(heading(other, t("endtoend.insecure.title"))).toBeVisible();
  await other.route("**/hush.v1.DomainService/GetPublicBrand", (route) => route.abort("connectionreset"), { times: 1 });
  await other.goto(`/e${new URL(endToEnd.link).hash}`); // here a browser decrypts
  await expect(heading(other, t("open.title.domain", { domain: brandedHost }))).toBeVisible();
  await expect(other.getByText("Call us first")).toBeVisible();
  await expect(reveal).toHaveCSS("background-color", "rgb(47, 111, 79)");
  await reveal.click();
  await expect(revealed(other)).toHaveText("e2e secret of the otters");
  await expect(other.getByText("Change it soon")).toBeVisible();

  await other.goto(`http://${brandedHost}/`);
  await expect(other.getByText(t("share.signin"))).toBeVisible();
  await page.goto(`/account/domains/${brandedHost}`);
  await page.getByLabel(t("brand.visitors.homepage")).check();
  await button(page, t("brand.save")).click();
  await expect(page.getByText(t("brand.unchanged"))).toBeVisible();
  await other.reload();
  await other.getByLabel(t("share.secret")).fill("e2e secret of a visitor");
  await button(other, t("share.submit")).click();
  await expect(linkField(other)).toBeVisible();

  await removeDomain(page);
});

/** addDomain asks for the domain, and waits for its page or for the refusal. */
async function addDomain(page: Page): Promise<void> {
  await page.goto("/account/domains");
  await page.getByLabel(t("domains.name"), { exact: true }).fill(`https://${brandedHost}/`);
  await button(page, t("domains.add.submit")).click();
  await expect(heading(page, brandedHost).or(page.getByRole("alert"))).toBeVisible();
}

async function removeDomain(page: Page): Promise<void> {
  await button(page, t("domain.remove")).click();
  await button(page.getByRole("dialog"), t("domain.remove")).click();
  await expect(heading(page, t("domains.title"))).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: brandedHost })).toHaveCount(0);
}

/** upload crops and uploads an image with a hostile file name. */
async function upload(page: Page, name: string): Promise<void> {
  const image = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(80, 40);
    const pen = canvas.getContext("2d");
    pen?.fillRect(10, 10, 40, 20);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
  });
  await page
    .getByLabel(`${name}: ${t("image.choose")}`)
    .setInputFiles({ name: `${hostile.replaceAll("/", "")}.png`, mimeType: "image/png", buffer: Buffer.from(image) });
  const dialog = page.getByRole("dialog", { name: t("image.crop.title", { name }) });
  await expect(dialog.getByRole("img", { name: t("image.crop.result") })).toBeVisible();
  await expectAccessible(page);
  await button(dialog, t("image.upload")).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: `${name}: ${t("image.delete")}` })).toBeVisible();
}

test("a name that is not a domain is refused beside its field", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/account/domains");
  await button(page, t("domains.add.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("domains.add.empty"));
  await page.getByLabel(t("domains.name"), { exact: true }).fill("localhost");
  await button(page, t("domains.add.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("domains.add.invalid"));
});
