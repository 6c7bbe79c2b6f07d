import type { FunctionComponent } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { t } from "./i18n";
import { Button, Loading, Notice } from "./ui";

/** lazy returns a component whose script is loaded when it is first rendered. Waiting stands in its place until then. */
export function lazy<P extends object>(
  load: () => Promise<{ default: FunctionComponent<P> }>,
  Waiting: FunctionComponent = Loading,
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  return function Lazy(props: P) {
    const [state, setState] = useState<"loading" | "ready" | "failed">(loaded ? "ready" : "loading");
    // Before the browser paints: what is there already comes at once.
    useLayoutEffect(() => {
      if (loaded) {
        return;
      }
      load().then(
        (module) => {
          loaded = module.default;
          setState("ready");
        },
        () => setState("failed"),
      );
    }, []);
    if (state === "failed") {
      return <Outdated />;
    }
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : <Waiting />;
  };
}

/** Outdated is shown when a script no longer exists, because a new release is out. */
function Outdated() {
  return (
    <Notice kind="warn">
      <p>{t("app.updated")}</p>
      <Button onClick={() => location.reload()}>{t("app.reload")}</Button>
    </Notice>
  );
}
