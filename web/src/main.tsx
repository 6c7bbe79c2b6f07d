import { render } from "preact";
import { App } from "./app";
import { startLocale } from "./i18n";
import { watchMistakes } from "./report";
import { begin } from "./router";
import { start } from "./session";
import { apply } from "./theme";

watchMistakes();
apply();
begin();
void start();

const root = document.getElementById("app");
if (root) {
  // No top-level await: the scripts that import this one would wait for the language.
  void startLocale().then(() => render(<App />, root));
}
