import { useSignal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { t } from "../i18n/open";
import { askBeforeLeaving } from "../router";
import { Empty, LinkButton, Page } from "../ui";
import { Branded, useBrand } from "./branded";
import { Gone } from "./gone";
import type { Details } from "./lookup";
import { mayLose, type Progress, Reveal, type Source } from "./reveal";
import { type FileProps, Revealed } from "./revealed";
import type { Content } from "./source";
import { Waiting } from "./waiting";
import { world } from "./world";

interface StageProps<Request, Answer> {
  secret: Details;
  /** Makes the source, once. */
  source: () => Source<Request, Answer, Content>;
  /** Whether the device, and not the server, says that a passphrase is missing. */
  checksPassphrase?: boolean;
  /** Shows a file, if the secret can be one. */
  file?: FunctionComponent<FileProps>;
  /** A message above the facts. */
  notice?: ComponentChildren;
  /** Called when the content is on the page. */
  onShown?: () => void;
}

/** Stage opens a secret: first its details and the button, then the content, until that is cleared. */
export function Stage<Request, Answer>(props: StageProps<Request, Answer>) {
  const { secret } = props;
  const brand = useBrand(secret.shareDomain);
  const content = useSignal<Content | undefined>(undefined);
  const [cleared, setCleared] = useState(false);
  const [progress, setProgress] = useState<Progress>({ at: "form" });
  const [reveal] = useState(
    () =>
      new Reveal(
        props.source(),
        world,
        { retries: secret.hasPassphrase ? 1 : Number.POSITIVE_INFINITY, onProgress: setProgress },
        (opened) => {
          content.value = opened;
        },
      ),
  );
  useEffect(() => () => reveal.end(), []);
  const held = mayLose(progress);
  useLayoutEffect(() => (held ? askBeforeLeaving(() => t("reveal.leave")) : undefined), [held]);

  if (cleared) {
    return <Cleared after={brand?.brand?.instructionsPostReveal} />;
  }
  if (progress.at === "gone") {
    return progress.lost ? <Lapsed /> : <Gone />;
  }
  if (progress.at === "open") {
    return (
      <Branded brand={brand}>
        <Revealed
          content={content}
          brand={brand}
          file={props.file}
          onShown={() => {
            void reveal.shown();
            props.onShown?.();
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

function Cleared({ after }: { after: string | undefined }) {
  return (
    <Page title={t("open.cleared.title")}>
      <Empty icon="check" title={t("open.cleared")}>
        {after && (
          <p class="brand-words" dir="auto">
            {after}
          </p>
        )}
        <LinkButton href="/">{t("reveal.reply")}</LinkButton>
      </Empty>
    </Page>
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
