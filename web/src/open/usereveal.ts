import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { needed } from "../call";
import { t } from "../i18n/open";
import { savesData } from "../line";
import { prefetch } from "../prefetch";
import { askBeforeLeaving } from "../router";
import { mayLose, type Progress, Reveal, type Source } from "./reveal";
import type { Content } from "./source";
import { world } from "./world";

/** What shows an opened secret. It is loaded while the page waits for the press. */
const loadView = () => import("./revealed");

/** Opening is a secret that a page opens. */
interface Opening {
  /** Opens it: see Reveal. */
  reveal: Pick<Reveal<unknown, unknown, Content>, "press" | "again" | "shown">;
  progress: Progress;
  /** Whether the secret may be bound to this page and nothing of it is shown yet. */
  held: boolean;
  content: Signal<Content | undefined>;
  /** What shows the content; it is there before anything is asked for. */
  view: Awaited<ReturnType<typeof loadView>> | undefined;
}

/**
 * useReveal opens a secret for a component, which shows its progress and then its
 * content. It makes the source once, stops with the component, and has the browser ask
 * before the page is left while the secret is held.
 */
export function useReveal<Request, Answer>(
  makeSource: () => Source<Request, Answer, Content>,
  hasPassphrase: boolean,
): Opening {
  const content = useSignal<Content | undefined>(undefined);
  const [progress, setProgress] = useState<Progress>({ at: "form" });
  const [view, setView] = useState<Opening["view"]>();
  // Nothing is asked for that could not be shown.
  const withView = (source: Source<Request, Answer, Content>): Source<Request, Answer, Content> => ({
    ...source,
    prepare: async (passphrase, signal) => {
      setView(await needed(loadView));
      return await source.prepare(passphrase, signal);
    },
  });
  const [reveal] = useState(
    () =>
      new Reveal(
        withView(makeSource()),
        world,
        { retries: hasPassphrase ? 1 : Number.POSITIVE_INFINITY, onProgress: setProgress },
        (opened) => {
          content.value = opened;
        },
      ),
  );
  useEffect(() => {
    if (!savesData()) {
      void prefetch([loadView]); // If it is missing, the press loads it again.
    }
    return () => reveal.end();
  }, []);
  const held = mayLose(progress);
  useLayoutEffect(() => (held ? askBeforeLeaving(() => t("reveal.leave")) : undefined), [held]);
  return { reveal, progress, held, content, view };
}
