import type { Brand } from "./gen/hush/v1/domain_pb";

const fonts: Record<string, string> = {
  serif: 'ui-serif, Georgia, Cambria, "Times New Roman", serif',
  mono: "var(--mono)",
  monospace: "var(--mono)",
};

const corners: Record<string, string> = { square: "0", pill: "999px" };

/**
 * applyBrand styles an element and its content with a brand. It sets properties
 * only, because the page's policy forbids inline styles. The colour is for
 * buttons and ornaments, never for text, which must stay readable in light and
 * dark.
 */
export function applyBrand(element: HTMLElement, brand: Partial<Brand> | undefined): void {
  const color = hex(brand?.primaryColor ?? brand?.colour ?? "");
  set(element, "--brand", color);
  set(element, "--brand-ink", color && inkOn(color, brand?.buttonTextLight));
  set(element, "--brand-font", fonts[brand?.fontFamily ?? ""] ?? "");
  set(element, "--corner", corners[brand?.cornerStyle ?? ""] ?? "");
}

function set(element: HTMLElement, name: string, value: string): void {
  if (value) {
    element.style.setProperty(name, value);
  } else {
    element.style.removeProperty(name);
  }
}

/** hex returns a colour in six digits, or an empty string for anything else. */
export function hex(color: string): string {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(color.trim())?.[1] ?? "";
  return digits && `#${digits.length === 3 ? digits.replace(/./g, "$&$&") : digits}`.toLowerCase();
}

/** contrast returns the WCAG contrast ratio of two six-digit colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** inkOn returns the colour of a button's text: the wanted one if it is readable. */
function inkOn(color: string, light: boolean | undefined): string {
  const white = "#ffffff";
  const black = "#000000";
  const wished = light === undefined ? undefined : light ? white : black;
  if (wished && contrast(color, wished) >= 4.5) {
    return wished;
  }
  return contrast(color, white) >= contrast(color, black) ? white : black;
}
