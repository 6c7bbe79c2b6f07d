/* What the visitor chose, for what the page shows before the application runs. i18n and theme.ts store it. */

/** prepare shows the chosen theme, and marks a page that came in another language than the chosen one. */
export function prepare({ dataset, lang }: HTMLElement): void {
  try {
    const { "hush.theme": theme, "hush.locale": locale } = localStorage;
    if (theme) {
      dataset.theme = theme;
    }
    if (locale && locale.replace("_", "-") !== lang) {
      dataset.elsewhere = "";
    }
  } catch {
    // The browser forbids storage.
  }
}
