import { expect, type Page, test } from "./fixtures";
import { places, visit } from "./pages";
import { screens } from "./screens";
import { tab, unfold } from "./shareform";
import { t } from "./texts";

test.use({ ...screens.phone, hasTouch: true, isMobile: true });

/** The fewest pixels of a target for a finger. */
const least = 44;

/** tooSmall names what can be pressed on a page and is smaller than a finger. Links within sentences are exempt. */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate((fewest) => {
    const targets = document.querySelectorAll<HTMLElement>(
      "button, .button, summary, select, input, [role^=menuitem], header a, nav a",
    );
    // A label is part of the target of its box.
    const boxes = (element: HTMLElement) =>
      [element, ...((element as HTMLInputElement).labels ?? [])]
        .filter((part) => part === element || element.matches("[type=checkbox], [type=radio], [type=file]"))
        .map((part) => part.getBoundingClientRect());
    const found: string[] = [];
    for (const target of targets) {
      const all = boxes(target);
      const height = Math.max(...all.map((box) => box.bottom)) - Math.min(...all.map((box) => box.top));
      const width = Math.max(...all.map((box) => box.right)) - Math.min(...all.map((box) => box.left));
      // What is hidden for the eye is no target: its label or another part is.
      const shown = target.checkVisibility({ visibilityProperty: true }) && !target.closest("[inert]") && height > 1;
      if (shown && (height < fewest - 0.01 || width < fewest - 0.01)) {
        const name = target.ariaLabel || target.innerText || target.className;
        found.push(`${target.tagName} "${name}" ${Math.round(width)}×${Math.round(height)}`);
      }
    }
    return found;
  }, least);
}

for (const place of places) {
  test(`a finger meets everything on ${place.name}`, async ({ page, expected }) => {
    if (place.name === "unknown") {
      expected.push(/status of 404 .*\/nowhere/);
    }
    await visit(page, place);
    expect(await tooSmall(page)).toEqual([]);
  });
}

test("a finger meets everything of the form that asks", async ({ page }) => {
  await visit(page, { name: "ask", who: "account", path: () => "/" });
  await tab(page, "ask").click();
  await unfold(page, "more");
  await expect(page.getByLabel(t("ask.notify"))).toBeVisible();
  expect(await tooSmall(page)).toEqual([]);
});

test("a finger meets everything in the account's menu", async ({ page }) => {
  await visit(page, { name: "account", who: "account", path: () => "/account" });
  await page.getByRole("button", { name: new RegExp(`^${t("app.account_menu")}`) }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  expect(await tooSmall(page)).toEqual([]);
});
