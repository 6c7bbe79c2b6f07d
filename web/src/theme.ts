import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const key = "hush.theme";

/** The chosen theme. */
export const theme = signal<Theme>(stored());

export function chooseTheme(next: Theme): void {
  theme.value = next;
  applyTheme();
  try {
    if (next === "system") {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, next);
    }
  } catch {
    // The browser may forbid storage. The choice then lasts until the page is closed.
  }
}

/** applyTheme shows the chosen theme. */
export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.value === "system") {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = theme.value;
  }
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}
