import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Link } from "../endtoend/link";
import { t } from "../i18n/collect";
import { notify, useBadge, useNotify } from "../receipts/moment";
import { forgetRequest, keptRequest } from "../requests/kept";
import { account } from "../session";
import { announce, Button, Empty, LinkButton, Loading, Notice, Page } from "../ui";
import { Answers } from "./answers";
import { type Claim, claimOn } from "./claim";
import type { Entry, Shown } from "./collector";
import { Keep } from "./keep";
import { NoCollection } from "./nolink";
import { Opening } from "./opening";
import { Question } from "./question";
import { RequestLink } from "./requestlink";
import { isUnknown, useCollection } from "./usecollection";

interface CollectProps {
  link: Link;
  /** A message above the request. */
  notice: ComponentChildren;
}

/** Collect shows a request with its answers as they come, and opens one at a time in its place. */
export function Collect({ link, notice }: CollectProps) {
  const [{ keys, shown, live, fault, refused }, { take, opened }] = useCollection(link);
  const [opening, setOpening] = useState<{ entry: Entry; asked: string; claim: Claim }>();
  const { wanted, button: notifyButton } = useNotify();
  const came = useCame(shown, () => {
    announce(t("collect.news"));
    if (wanted) {
      notify(t("collect.news"));
    }
  });
  useBadge(came);
  useRecount(shown);
  // Whatever the server sends meanwhile, what is being opened stays on the page.
  if (opening && keys) {
    return (
      <Opening {...opening} keys={keys} onShown={() => opened(opening.entry.id)} onBack={() => setOpening(undefined)} />
    );
  }
  if (refused) {
    return isUnknown(refused) ? <Unknown link={link} /> : <NoCollection lack="refused" />;
  }
  if (fault) {
    return <Altered newer={fault === "version"} />;
  }
  if (!shown || !keys) {
    return (
      <Page title={t("collect.title")}>
        {live ? <Loading>{t("collect.loading")}</Loading> : <Notice kind="warn">{t("collect.unreached")}</Notice>}
      </Page>
    );
  }
  const some = shown.entries.length > 0;
  const call = { collectKey: link.key, collectProof: keys.proof };
  const open = async (entry: Entry) =>
    setOpening({ entry, asked: shown.asked.card.title, claim: await claimOn(link.key, entry.id) });
  return (
    <Page title={t("collect.title")} news={came ? `✓ ${t("collect.news")}` : undefined}>
      {notice}
      <Question {...{ shown, live, call, notifyButton }} onChange={take} />
      {!some && <RequestLink shown={shown} collectKey={link.key} />}
      <Answers {...{ shown, call }} onOpen={open} onChange={take} />
      {some && <RequestLink shown={shown} collectKey={link.key} />}
      <Keep link={link} shown={shown} />
    </Page>
  );
}

/** useCame reports whether an answer that came while the page was open still waits. It calls onCame when one comes. */
function useCame(shown: Shown | undefined, onCame: () => void): boolean {
  const known = useRef<Set<string>>(undefined);
  const [came, setCame] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const ids = shown?.entries.filter(isWaiting).map(({ id }) => id) ?? [];
    const before = known.current;
    if (!before) {
      known.current = shown && new Set(ids);
      return;
    }
    const fresh = ids.filter((id) => !before.has(id));
    if (fresh.length > 0) {
      known.current = new Set([...before, ...ids]);
      setCame((now) => new Set([...now, ...fresh]));
      onCame();
    }
  }, [shown]);
  return shown?.entries.some((entry) => came.has(entry.id) && isWaiting(entry)) ?? false;
}

/** useRecount has the menu of an account count anew what waits when answers came, or were opened or burned. */
function useRecount(shown: Shown | undefined): void {
  const phases = shown?.entries.map(({ phase }) => phase).join();
  const before = useRef(""); // the menu may have counted before answers came that are here from the start
  useEffect(() => {
    if (phases !== undefined && before.current !== phases && account.peek()) {
      void import("../requests/waiting").then(
        ({ look }) => look(),
        () => undefined, // the count stays as it was
      );
    }
    before.current = phases ?? before.current;
  }, [phases]);
}

function isWaiting({ phase, refused }: Entry): boolean {
  return phase === "waiting" && !refused;
}

/** Unknown says that the service has no such request, and offers to forget it on a device that remembers it. */
function Unknown({ link }: { link: Link }) {
  const [kept, setKept] = useState(false);
  useEffect(() => {
    void keptRequest(link.key).then((found) => setKept(found !== undefined));
  }, []);
  const forget = async () => {
    await forgetRequest(link.key);
    setKept(false);
    announce(t("collect.forgotten"));
  };
  return (
    <Page title={t("collect.unknown.title")}>
      <Empty icon="receipt" title={t("collect.unknown")}>
        <div class="row">
          {kept && (
            <Button icon="trash" onClick={() => void forget()}>
              {t("collect.forget")}
            </Button>
          )}
          <LinkButton href="/">{t("app.share")}</LinkButton>
        </div>
      </Empty>
    </Page>
  );
}

/** Altered shows nothing of what came. */
function Altered({ newer }: { newer: boolean }) {
  return (
    <Page title={t("collect.altered.title")}>
      <Notice kind="bad">
        <p>{t(newer ? "collect.version" : "collect.altered")}</p>
      </Notice>
    </Page>
  );
}
