import { signal } from "@preact/signals";
import { read, write } from "./storage";

export type Theme = "system" | "light" | "dark";

const key = "hush.theme";

/** The chosen theme. */
export const theme = signal<Theme>(stored());

export function chooseTheme(next: Theme): void {
  theme.value = next;
  applyTheme();
  write(key, next === "system" ? null : next);
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
  const value = read(key);
  return value === "light" || value === "dark" ? value : "system";
}
