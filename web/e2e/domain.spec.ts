import type { Page } from "@playwright/test";
import { brandedHost } from "./environment";
import { hostile } from "./hostile";
import { ada, button, card, expect, expectAccessible, heading, revealed, signIn, test } from "./kit";
import { setDNS } from "./service";
import { german, t } from "./texts";

test("a domain is added, verified, given looks and shared on", async ({
  page,
  reader,
  browser,
  contextOptions,
  expected,
}) => {
  // The link on the domain has no TLS here, of which the browser takes note.
  expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  await signIn(page, ada);
  await page.goto("/account/domains");
  await page.getByLabel(t("domains.name"), { exact: true }).fill(`https://${brandedHost}/`);
  await button(page, t("domains.add.submit")).click();
  await expect(heading(page, brandedHost)).toBeVisible();
  await expectAccessible(page);

  await button(page, t("domain.verify")).click();
  await expect(page.getByText(t("domain.problem.no_txt"))).toBeVisible();
  await expectAccessible(page);
  const record = page.getByRole("group", { name: t("domain.record.label", { type: "TXT" }) });
  await setDNS({
    name: await record.getByLabel(t("domain.record.name"), { exact: true }).inputValue(),
    txt: [await record.getByLabel(t("domain.record.value"), { exact: true }).inputValue()],
  });
  await setDNS({ name: brandedHost, addresses: ["192.0.2.1"] });
  await button(page, t("domain.verify")).click();
  await expect(page.getByText(t("domain.state.verified"), { exact: true })).toBeVisible();

  await page.getByLabel(`${t("brand.color")} ${t("kit.optional")}`, { exact: true }).fill("#2f6f4f");
  await page.getByLabel(t("brand.description")).fill(`Of the otters ${hostile}`);
  await page.getByLabel(t("brand.before")).fill(`Call us first ${hostile}`);
  await page.getByLabel(t("brand.beside")).fill(`Change it soon ${hostile}`);
  await page.getByLabel(t("brand.after")).fill(`Thank you ${hostile}`);
  await page.getByLabel(`${t("brand.locale")} ${t("kit.optional")}`, { exact: true }).selectOption("de");
  await expect(page.locator(".preview")).toContainText("Of the otters");
  await button(page, t("brand.save")).click();
  await expect(page.getByText(t("brand.unchanged"))).toBeVisible();
  await upload(page, t("image.logo"));
  await upload(page, t("image.icon"));
  await expectAccessible(page);

  await page.goto("/");
  await page.getByLabel(t("share.secret")).fill("e2e secret of the otters");
  await page.getByLabel(t("share.domain")).selectOption(brandedHost);
  await button(page, t("share.submit")).click();
  const link = await card(page, t("result.link"))
    .getByText(/\/s#[0-9a-z]{31}$/)
    .innerText();
  expect(link).toContain(`http://${brandedHost}/s#`);

  const swedish = await browser.newContext({ ...contextOptions, locale: "sv-SE" });
  const stranger = await swedish.newPage();
  await stranger.goto(link);
  await expect(button(stranger, german("open.reveal"))).toBeVisible();
  await swedish.close();

  await reader.goto(link);
  await expect(heading(reader, t("open.title.domain", { domain: brandedHost }))).toBeVisible();
  await expect(reader.getByText("Of the otters")).toContainText("<svg onload=alert(2)>");
  await expect(reader.getByText("Call us first")).toBeVisible();
  const logo = reader.getByRole("img", { name: brandedHost });
  await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expect(reader.locator('link[rel="icon"]')).toHaveAttribute("href", /^\/imagine\/.+\/icon\.png$/);
  const reveal = button(reader, t("open.reveal"));
  await expect(reveal).toHaveCSS("background-color", "rgb(47, 111, 79)");
  await expectAccessible(reader);
  await reveal.click();
  await expect(revealed(reader)).toHaveText("e2e secret of the otters");
  await expect(reader.getByText("Change it soon")).toBeVisible();
  await button(reader, t("open.clear")).click();
  await expect(reader.getByText("Thank you")).toBeVisible();

  await reader.goto(`http://${brandedHost}/`);
  await expect(reader.getByText(t("share.signin"))).toBeVisible();
  await page.goto(`/account/domains/${brandedHost}`);
  await page.getByLabel(t("brand.visitors.homepage")).check();
  await button(page, t("brand.save")).click();
  await expect(page.getByText(t("brand.unchanged"))).toBeVisible();
  await reader.reload();
  await reader.getByLabel(t("share.secret")).fill("e2e secret of a visitor");
  await button(reader, t("share.submit")).click();
  await expect(card(reader, t("result.link"))).toBeVisible();

  await button(page, t("domain.remove")).click();
  await button(page.getByRole("dialog"), t("domain.remove")).click();
  await expect(heading(page, t("domains.title"))).toBeVisible();
  await expect(page.getByRole("main").getByRole("link", { name: brandedHost })).toHaveCount(0);
});

/** upload cuts a picture with a hostile name to size and sends it. */
async function upload(page: Page, name: string): Promise<void> {
  const picture = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(80, 40);
    const pen = canvas.getContext("2d");
    pen?.fillRect(10, 10, 40, 20);
    return [...new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer())];
  });
  await page
    .getByLabel(`${name}: ${t("image.choose")}`)
    .setInputFiles({ name: `${hostile.replaceAll("/", "")}.png`, mimeType: "image/png", buffer: Buffer.from(picture) });
  const dialog = page.getByRole("dialog", { name: t("image.crop.title", { name }) });
  await expect(dialog.getByRole("img", { name: t("image.crop.result") })).toBeVisible();
  await expectAccessible(page);
  await button(dialog, t("image.upload")).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: `${name}: ${t("image.delete")}` })).toBeVisible();
}

test("a name that is no domain is refused beside its field", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/account/domains");
  await button(page, t("domains.add.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("domains.add.empty"));
  await page.getByLabel(t("domains.name"), { exact: true }).fill("localhost");
  await button(page, t("domains.add.submit")).click();
  await expect(page.getByRole("alert")).toContainText(t("domains.add.invalid"));
});
