import { card, expect, heading, test } from "./fixtures";
import { settle } from "./pages";
import { change } from "./shareform";
import { t } from "./texts";

test("About draws the way of a secret and answers questions, also by keyboard @phone", async ({ page }) => {
  await page.goto("/about");
  await settle(page);
  const way = card(page, t("about.way.title"));
  await expect(way.getByRole("listitem")).toHaveCount(3);
  await expect(way).toContainText(t("about.way.key"));
  const question = page.getByText(t("about.question.twice"), { exact: true });
  const answer = page.getByText(t("about.once"));
  await expect(answer).toBeHidden();
  await question.click();
  await expect(answer).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(answer).toBeHidden();
  await page.getByRole("link", { name: t("about.more") }).click();
  await expect(heading(page, t("security.title"))).toBeVisible();
});

test("Security leads to the feedback where no contact is named, and to no source", async ({ page, request }) => {
  await page.goto("/security");
  await settle(page);
  await expect(page.getByText(/^\d+\.\d+\.\d+$/)).toBeVisible();
  await expect(card(page, t("security.build")).getByRole("link")).toHaveCount(0);
  expect((await request.get("/.well-known/security.txt")).status()).toBe(404);
  await card(page, t("security.report"))
    .getByRole("link", { name: t("app.feedback") })
    .click();
  await expect(heading(page, t("feedback.title"))).toBeVisible();
});

test("Security names the contact and the source that the operator set @phone", async ({ page }) => {
  await change(page, "SystemService/GetPolicy", (answer) => ({
    ...answer,
    securityContact: "mailto:a%25b+c@example.com",
    sourceUrl: "https://example.com/hush",
  }));
  await page.goto("/security");
  await settle(page);
  const contact = page.getByRole("link", { name: "a%b+c@example.com" });
  await expect(contact).toHaveAttribute("href", "mailto:a%25b+c@example.com");
  await expect(page.getByRole("link", { name: "https://example.com/hush" })).toBeVisible();
  await page.getByText(t("security.build.verify")).click();
  await expect(page.getByText("sha256sum --check --ignore-missing SHA256SUMS")).toBeVisible();
});
