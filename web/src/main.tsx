import { render } from "preact";
import { App } from "./app";
import { startLocale } from "./i18n";
import { reportUncaughtErrors } from "./report";
import { startRouter } from "./router";
import { startSession } from "./session";
import { applyTheme } from "./theme";

reportUncaughtErrors();
applyTheme();
startRouter();
void startSession();

const root = document.getElementById("app");
if (root) {
  // No top-level await: the scripts that import this one would wait for the language.
  void startLocale().then(() => render(<App />, root));
}
