import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { needed } from "../call";
import { t } from "../i18n/open";
import { savesData } from "../line";
import { prefetch } from "../prefetch";
import { askBeforeLeaving, noteOpened } from "../router";
import { Empty, LinkButton, Page } from "../ui";
import { Branded, useBrand } from "./branded";
import { Gone } from "./gone";
import type { Details } from "./lookup";
import { mayLose, type Progress, Reveal, type Source } from "./reveal";
import type { Content } from "./source";
import { Waiting } from "./waiting";
import { world } from "./world";

/** What shows an opened secret. It is loaded while the page waits for the press. */
const loadView = () => import("./revealed");
type View = Awaited<ReturnType<typeof loadView>>;

interface StageProps<Request, Answer> {
  secret: Details;
  /** Makes the source, once. */
  source: () => Source<Request, Answer, Content>;
  /** Whether the device, and not the server, says that a passphrase is missing. */
  checksPassphrase?: boolean;
  /** A message above the facts. */
  notice?: ComponentChildren;
}

/** Stage opens a secret: first its details and the button, then the content, until that is cleared. */
export function Stage<Request, Answer>(props: StageProps<Request, Answer>) {
  const { secret } = props;
  const brand = useBrand(secret.shareDomain);
  const content = useSignal<Content | undefined>(undefined);
  const [cleared, setCleared] = useState(false);
  const [progress, setProgress] = useState<Progress>({ at: "form" });
  const [view, setView] = useState<View>();
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
        withView(props.source()),
        world,
        { retries: secret.hasPassphrase ? 1 : Number.POSITIVE_INFINITY, onProgress: setProgress },
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

  if (cleared && view) {
    return <view.Cleared after={brand?.brand?.instructionsPostReveal} />;
  }
  if (progress.at === "gone") {
    return progress.lost ? <Lapsed /> : <Gone />;
  }
  if (progress.at === "open" && view) {
    return (
      <Branded brand={brand}>
        <view.Revealed
          content={content}
          brand={brand}
          onShown={() => {
            void reveal.shown();
            noteOpened();
          }}
          onClear={() => setCleared(true)}
        />
      </Branded>
    );
  }
  return (
    <Branded brand={brand}>
      <Waiting
        secret={secret}
        brand={brand}
        progress={progress}
        notice={props.notice}
        checksPassphrase={props.checksPassphrase ?? false}
        onReveal={(passphrase) => void reveal.press(passphrase)}
        onAgain={() => void reveal.again()}
      />
    </Branded>
  );
}

/** Lapsed is shown when a secret is gone after an answer was lost. */
function Lapsed() {
  return (
    <Page title={t("reveal.lapsed.title")}>
      <Empty icon="warn" title={t("reveal.lapsed")}>
        <p>{t("reveal.lapsed.text")}</p>
        <LinkButton href="/">{t("open.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}
