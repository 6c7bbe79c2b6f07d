import type { FunctionComponent } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { t } from "./i18n";
import { type Cause, causeOfMissing } from "./missing";
import { Button, Loading, Notice, Page } from "./ui";

/** MissingProps is what stands in place of a component whose script did not load is told. */
export interface MissingProps {
  cause: Cause;
  /** Loads the script again. */
  retry: () => void;
}

/**
 * lazy returns a component whose script is loaded when it is first rendered. Waiting
 * stands in its place until then, and Absent if it does not load.
 */
export function lazy<P extends object>(
  load: () => Promise<{ default: FunctionComponent<P> }>,
  Waiting: FunctionComponent = Loading,
  Absent: FunctionComponent<MissingProps> = Missing,
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | undefined;
  return function Lazy(props: P) {
    const [state, setState] = useState<"loading" | "ready" | Cause>(loaded ? "ready" : "loading");
    const begin = () => {
      setState("loading");
      load().then(
        (module) => {
          loaded = module.default;
          setState("ready");
        },
        () => void causeOfMissing().then(setState),
      );
    };
    // Before the browser paints: what is there already comes at once.
    useLayoutEffect(() => {
      if (!loaded) {
        begin();
      }
    }, []);
    if (state !== "loading" && state !== "ready") {
      return <Absent cause={state} retry={begin} />;
    }
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : <Waiting />;
  };
}

/** A line that has just come back takes a moment to carry anything. */
const settling = 1_000;

/** Missing says why a part of the page did not load, and loads it again when the line is back. */
function Missing({ cause, retry }: MissingProps) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const online = () => {
      timer = setTimeout(retry, settling);
    };
    addEventListener("online", online);
    return () => {
      clearTimeout(timer);
      removeEventListener("online", online);
    };
  }, []);
  return (
    <Notice kind="warn">
      <p>{textOf(cause)}</p>
      <div class="row">
        {cause !== "updated" && <Button onClick={retry}>{t("ui.retry")}</Button>}
        {(cause === "updated" || cause === "failed") && (
          <Button onClick={() => location.reload()}>{t("app.reload")}</Button>
        )}
      </div>
    </Notice>
  );
}

/** MissingPage is Missing in place of a whole page. */
export function MissingPage(props: MissingProps) {
  return (
    <Page title={t("app.missing")}>
      <Missing {...props} />
    </Page>
  );
}

function textOf(cause: Cause): string {
  switch (cause) {
    case "offline":
      return t("app.offline");
    case "unreachable":
      return t("problem.offline");
    case "updated":
      return t("app.updated");
    case "failed":
      return t("problem.unavailable");
  }
}
