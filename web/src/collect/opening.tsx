import { rich, t } from "../i18n/collect";
import { fromDevice } from "../open/fromdevice";
import { Press } from "../open/press";
import { useReveal } from "../open/usereveal";
import type { CollectKeys } from "../requests/keys";
import { Button, Card, Notice, Page } from "../ui";
import { Name } from "./answers";
import { type Claim, claimed } from "./claim";
import type { Entry } from "./collector";

interface OpeningProps {
  /** The answer; it has a link secret. */
  entry: Entry;
  /** What was asked for. */
  asked: string;
  keys: CollectKeys;
  /** The claim to open it with. */
  claim: Claim;
  /** Called when the content is on the page. */
  onShown: () => void;
  /** Called when the page has nothing of the content any more, or never had it. */
  onBack: () => void;
}

/** Opening opens one answer as the end-to-end secret that it is. Nothing is consumed before the press. */
export function Opening({ entry, asked, keys, claim, onShown, onBack }: OpeningProps) {
  const { answer, place, secret = new Uint8Array() } = entry;
  const title = t("collect.opening.title", { number: place });
  const source = () =>
    claimed(fromDevice({ key: answer.secretKey, secret, collectProof: keys.proof, ...claim }), claim);
  const { reveal, progress, held, content, view } = useReveal(source, answer.hasPassphrase);
  if (progress.at === "open" && view) {
    return (
      <view.Revealed
        content={content}
        words={{
          title,
          lead: rich("collect.revealed.lead", { title: <bdi>{asked}</bdi> }),
          done: t("collect.revealed.done"),
        }}
        brand={undefined}
        after={null}
        onShown={() => {
          void reveal.shown();
          onShown();
        }}
        onClear={onBack}
      />
    );
  }
  return (
    <Page short title={title}>
      <Card>
        <Name entry={entry} headed />
        {progress.at === "gone" ? (
          <Notice kind="warn">{t(progress.lost ? "collect.opening.lost" : "collect.opening.gone")}</Notice>
        ) : (
          <>
            {!held && <p>{t(entry.phase === "opening" ? "collect.opening.again" : "collect.opening.once")}</p>}
            <Press
              hasPassphrase={answer.hasPassphrase}
              progress={progress}
              checksPassphrase
              action={t("collect.opening.open")}
              wrongLink={<Notice kind="bad">{t("collect.opening.moved")}</Notice>}
              onReveal={(passphrase) => void reveal.press(passphrase)}
              onAgain={() => void reveal.again()}
            />
          </>
        )}
      </Card>
      {!held && progress.at !== "deriving" && (
        <div class="row">
          <Button onClick={onBack}>{t("collect.back")}</Button>
        </div>
      )}
    </Page>
  );
}
