import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../i18n/open";
import { noteOpened } from "../router";
import { Empty, LinkButton, Page } from "../ui";
import { Branded, useBrand } from "./branded";
import { Gone } from "./gone";
import type { Details } from "./lookup";
import type { Source } from "./reveal";
import type { Content } from "./source";
import { useReveal } from "./usereveal";
import { Waiting } from "./waiting";

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
  const [cleared, setCleared] = useState(false);
  const { reveal, progress, content, view } = useReveal(props.source, secret.hasPassphrase);

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
