import { render } from "preact";
import { App } from "./app";
import { startLocale } from "./i18n";
import { savesData } from "./line";
import { reportUncaughtErrors } from "./report";
import { startRouter } from "./router";
import { nextPages } from "./routes";
import { startSession } from "./session";
import { takeOver } from "./start";
import { applyTheme } from "./theme";

reportUncaughtErrors();
applyTheme();
startRouter();
void startSession();

const root = document.getElementById("app");
if (root) {
  // No top-level await: the scripts that import this one would wait for the language.
  void startLocale().then(() => {
    render(<App />, root);
    takeOver();
    if (!savesData()) {
      onceLoaded(() => {
        import("./prefetch").then(({ prefetch }) => prefetch(nextPages)).catch(() => undefined);
      });
    }
  });
}

/** onceLoaded calls fn when the browser has loaded all of the page, or now if it has. */
function onceLoaded(fn: () => void): void {
  if (document.readyState === "complete") {
    fn();
  } else {
    addEventListener("load", fn, { once: true });
  }
}
