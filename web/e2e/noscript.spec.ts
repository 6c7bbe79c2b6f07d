import { expect, test } from "./fixtures";
import { conceal, kinds } from "./service";

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a link is opened by a form, once", async ({ page, expected }) => {
    expected.push(/status of 4\d\d .*\/secret\//);
    const { key, receipt } = await conceal({ secret: "e2e secret <b>without</b> scripts", passphrase: "open sesame" });
    await page.goto(`/secret/${key}`);
    expect(await kinds(receipt)).not.toContain("KIND_REVEALED");
    const passphrase = page.locator("input[type=password]");
    await passphrase.fill("closed sesame");
    await page.getByRole("button").click();
    await expect(page.locator("body")).toContainText("4");
    await passphrase.fill("open sesame");
    await page.getByRole("button").click();
    await expect(page.locator("body")).toContainText("e2e secret <b>without</b> scripts");
    await page.goto(`/secret/${key}`);
    expect(await page.content()).not.toContain("without");
    expect(await kinds(receipt)).toContain("KIND_REVEALED");
  });

  test("the short link says how it is opened", async ({ page }) => {
    await page.goto("/s#x");
    await expect(page.getByRole("heading", { level: 1 })).toContainText("JavaScript");
    expect(await page.content()).toContain("/secret/");
  });
});
