/*
 * The form of every page: one grid, no sideways scrolling down to 320 px, the same
 * mirrored, and no motion for those who ask for none. What a screen shows is
 * measured in the page.
 */
import { ada, button, expect, expectAccessible, links, type Page, signIn, speak, test } from "./fixtures";
import { places, settle, visit } from "./pages";
import { screens } from "./screens";
import { conceal } from "./service";
import { tab } from "./shareform";
import { t } from "./texts";

const widths = [320, 375, screens.desktop.viewport.width] as const;

for (const place of places) {
  test(`${place.name} keeps to the grid, also mirrored`, async ({ page, expected }) => {
    expected.push(/status of 404/);
    await visit(page, place);
    for (const dir of ["ltr", "rtl"] as const) {
      await mirror(page, dir);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await expectOneGrid(page, `${place.name} ${dir} at ${width} px`);
      }
    }
    await expectDirections(page);
  });

  // Long words, wide characters, and a script that runs the other way.
  test(`${place.name} keeps to the grid and is accessible in German, Japanese and Arabic`, async ({
    page,
    expected,
  }) => {
    expected.push(/status of 404/);
    for (const [name, dir] of [
      ["de", "ltr"],
      ["ja", "ltr"],
      ["ar", "rtl"],
    ] as const) {
      await speak(page, name);
      await visit(page, place);
      await expect(page.locator("html")).toHaveAttribute("lang", name);
      await expect(page.locator("html")).toHaveAttribute("dir", dir);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await expectOneGrid(page, `${place.name} in ${name} at ${width} px`);
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    }
  });

  test(`${place.name} does not move for who asks for less motion`, async ({ page, expected }) => {
    expected.push(/status of 404/);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await countMotion(page);
    await visit(page, place);
    expect(await motion(page)).toEqual([]);
  });
}

test("the header's menu, dialogs and the pages after a click keep to the grid", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/recent");
  await settle(page);
  await page.getByRole("banner").getByRole("button").click();
  await expect(page.getByRole("menu")).toBeVisible();
  await everywhere(page, "menu");
  await page.keyboard.press("Escape");

  await page.goto("/");
  await tab(page, "generate").click();
  await expect(page.getByLabel(t("generate.result"))).toHaveText(/^\S+$/);
  await everywhere(page, "generate");
  await button(page, t("share.submit")).click();
  await links(page);
  await everywhere(page, "result");
  await button(page, t("result.send")).click();
  await everywhere(page, "send");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await button(page, t("result.qr")).click();
  await everywhere(page, "dialog");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await button(page, t("receipt.burn")).click();
  await everywhere(page, "burn");
  await button(page.getByRole("dialog"), t("burn.confirm")).click();
  await expect(page.getByRole("heading", { name: t("receipt.state.burned"), exact: true })).toBeVisible();
  await everywhere(page, "burned");
});

test("a long name without a space does not widen a page", async ({ page }) => {
  await signIn(page, ada);
  await page.goto("/account/tokens");
  const name = "W".repeat(60);
  await page.getByLabel(t("tokens.name")).fill(name);
  await button(page, t("tokens.submit")).click();
  await expect(button(page, t("tokens.shown.done"))).toBeVisible();
  await everywhere(page, "long name");
  await button(page, t("tokens.shown.done")).click();
  const row = page.getByRole("listitem").filter({ hasText: name });
  await row.getByRole("button").click();
  await everywhere(page, "long name in a dialog");
  await button(page.getByRole("dialog"), t("tokens.revoke")).click();
  await expect(row).toHaveCount(0);
});

test("on a phone the brand's preview stays in view while the brand is edited", async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 667 });
  await signIn(page, ada);
  await page.goto("/account/domains/secrets.ada-team.com");
  await settle(page);
  const preview = page.getByRole("group", { name: t("brand.preview") });
  for (const name of ["brand.description", "brand.before", "brand.beside", "brand.after"] as const) {
    const field = page.getByLabel(t(name));
    await field.click();
    await field.pressSequentially(`Words of ${name}`);
    await expect(preview).toContainText(`Words of ${name}`);
    await expect(preview).toBeInViewport({ ratio: 1 });
    const [above, below] = [await preview.boundingBox(), await field.boundingBox()];
    expect(below?.y, `${name} is below the preview`).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    await expect(field).toBeInViewport({ ratio: 0.5 });
  }
});

test("a dialog moves as it opens and closes, and gives the focus back at once", async ({ page }) => {
  const { receipt } = await conceal({ secret: "e2e secret" });
  await page.goto(`/r#${receipt}`);
  await settle(page);
  await countMotion(page);
  const burn = button(page, t("receipt.burn"));
  await burn.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  // All within one task: the keys come before anything has faded.
  const focused = await dialog.evaluate(async (element: HTMLDialogElement) => {
    const closed = new Promise((resolve) => element.addEventListener("close", resolve, { once: true }));
    element.querySelector<HTMLButtonElement>("button[type=button]")?.click();
    await closed;
    const reachable = element.querySelector<HTMLElement>("button");
    const before = document.activeElement?.textContent;
    reachable?.focus();
    return { before, after: document.activeElement?.textContent, still: reachable !== null, inert: element.inert };
  });
  expect(focused).toEqual({ before: t("receipt.burn"), after: t("receipt.burn"), still: true, inert: true });
  await expect(dialog).toBeHidden();
  await expect(page.locator("dialog > *")).toHaveCount(0);
  await expect(burn).toBeFocused();
  expect(await motion(page)).not.toEqual([]);

  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`/r#${receipt}`);
  await settle(page);
  await countMotion(page);
  await burn.click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator("dialog > *")).toHaveCount(0);
  await expect(burn).toBeFocused();
  expect(await motion(page)).toEqual([]);
});

/** everywhere checks the page at every width, and mirrored. */
async function everywhere(page: Page, name: string): Promise<void> {
  for (const dir of ["rtl", "ltr"] as const) {
    await mirror(page, dir);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expectOneGrid(page, `${name} ${dir} at ${width} px`);
    }
  }
}

async function mirror(page: Page, dir: "ltr" | "rtl"): Promise<void> {
  await page.evaluate((dir) => {
    document.documentElement.dir = dir;
  }, dir);
}

/**
 * expectOneGrid checks that the header, the page and the footer have the same edges,
 * that their contents fill these edges, and that nothing is outside the window.
 */
async function expectOneGrid(page: Page, name: string): Promise<void> {
  const found = await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    const root = document.documentElement;
    const edges = (element: Element) => {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      return `${box.left + Number.parseFloat(style.paddingLeft)} to ${box.right - Number.parseFloat(style.paddingRight)}`;
    };
    const parts = [...document.querySelectorAll(".header, .page:not(.page-short), .footer")];
    // A short page stands in the middle, and no wider than the others.
    const short = document.querySelector(".page-short")?.getBoundingClientRect();
    const around = document.querySelector(".header")?.getBoundingClientRect();
    const body = document.body.getBoundingClientRect();
    const rtl = root.dir === "rtl";
    const sides = (selector: string, side: "start" | "end") => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box && Math.round((side === "start") === rtl ? box.right : box.left);
    };
    /** scrolls reports whether an element's overflow stays in a box that scrolls or cuts it. */
    const contained = (element: Element) => {
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
        if (getComputedStyle(at).overflowX !== "visible") return true;
      }
      return false;
    };
    const outside = [...document.querySelectorAll("body *")].filter((element) => {
      const box = element.getBoundingClientRect();
      const hidden = box.width <= 1 || box.height <= 1 || !element.checkVisibility({ visibilityProperty: true });
      return !hidden && (box.left < body.left - 0.5 || box.right > body.right + 0.5) && !contained(element);
    });
    return {
      edges: [...new Set(parts.map(edges))],
      parts: parts.length + (short ? 1 : 0),
      short: short && around ? [Math.round(short.left - around.left), Math.round(around.right - short.right)] : [],
      scroll: root.scrollWidth - root.clientWidth,
      brand: sides(".brand", "start"),
      heading: sides(".page-head h1", "start"),
      footer: sides(".footer-links", "start"),
      clipped: [...document.querySelectorAll(".brand > span")].some((name) => name.scrollWidth > name.clientWidth),
      outside: outside.map((element) => `${element.tagName} ${element.className}`),
    };
  });
  expect(found.parts, `${name}: header, page and footer`).toBeGreaterThanOrEqual(3);
  expect(found.edges, `${name}: edges of the header, the page and the footer`).toHaveLength(1);
  expect(found.clipped, `${name}: the name of the service is cut off`).toBe(false);
  expect(found.scroll, `${name}: sideways scrolling`).toBeLessThanOrEqual(0);
  expect(found.outside, `${name}: outside the window`).toEqual([]);
  if (found.short.length > 0) {
    expect(found.short[0], `${name}: the short page stands in the middle`).toBe(found.short[1]);
    expect(found.short[0], `${name}: the short page is no wider than the header`).toBeGreaterThanOrEqual(0);
  } else {
    expect(found.heading, `${name}: heading below the name`).toBe(found.brand);
  }
  expect(found.footer, `${name}: footer below the name`).toBe(found.brand);
}

/** expectDirections checks that a field takes the direction of its text or of the page, and that keys and code are never mirrored. */
async function expectDirections(page: Page): Promise<void> {
  await mirror(page, "rtl");
  const wrong = await page.evaluate(() => {
    const fields = [
      ...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
        "textarea, input:not([type=radio], [type=checkbox], [type=range], [type=color], [type=file])",
      ),
    ];
    const fixed = [...document.querySelectorAll("code, .mono:not(textarea), .link-text")];
    return [
      ...fields.filter((field) => !(field.dir || (!field.value && getComputedStyle(field).direction === "rtl"))),
      ...fixed.filter((element) => getComputedStyle(element).direction !== "ltr"),
    ].map((element) => element.outerHTML.slice(0, 120));
  });
  expect(wrong, "fields without a direction, and mirrored code").toEqual([]);
}

/** countMotion remembers each animation and transition that begins from now on. */
async function countMotion(page: Page): Promise<void> {
  const watch = () => {
    const moves: string[] = [];
    Object.assign(window, { moves });
    for (const kind of ["animationstart", "transitionrun"] as const) {
      document.addEventListener(kind, ({ target }) => moves.push(`${kind} of ${(target as Element).className}`), true);
    }
  };
  await page.addInitScript(watch);
  await page.evaluate(watch);
}

/** motion returns what moved since countMotion. */
async function motion(page: Page): Promise<string[]> {
  return page.evaluate(() => [
    ...(window as unknown as { moves: string[] }).moves,
    ...document.getAnimations().map((animation) => `running ${animation.constructor.name}`),
  ]);
}
