import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Link } from "../endtoend/link";
import { openParts } from "../endtoend/openparts";
import { exact } from "../format";
import { t } from "../i18n/download";
import { t as opening } from "../i18n/open";
import { Branded, useBrand } from "../open/branded";
import { Gone } from "../open/gone";
import type { Details } from "../open/lookup";
import { newClaim } from "../open/source";
import { Address, Facts, Greeting } from "../open/waiting";
import { world } from "../open/world";
import { askBeforeLeaving, noteOpened } from "../router";
import { Button, Card, Empty, LinkButton, Notice, Page } from "../ui";
import { places } from "./choose";
import { Command } from "./command";
import { Described } from "./described";
import { Download, type Known, mayLose, type State } from "./download";
import { removeOld } from "./kept";
import { Pressing } from "./pressing";
import { Progress } from "./progress";
import { lock, records } from "./record";
import { sourceOf, type View } from "./source";

interface StageProps {
  link: Link;
  /** The name of the file's record. */
  id: string;
  hasPassphrase: boolean;
  /** What the service says of the secret and the file; undefined for a file that this tab had opened. */
  secret: Details | undefined;
  view: View | undefined;
}

/** FileStage downloads a file: first what it is and the button, then how far it is, then what became of it. */
export function FileStage({ link, id, hasPassphrase, secret, view }: StageProps) {
  const brand = useBrand(secret?.shareDomain ?? "");
  const [state, setState] = useState<State>({ at: "form" });
  const [known, setKnown] = useState<Known | undefined>(view?.preview);
  const [download] = useState(() => make(link, { id, hasPassphrase, onState: setState, onKnown: setKnown }));
  useEffect(() => {
    void removeOld(id);
    void download.start(view);
    return () => download.end();
  }, []);
  const loses = mayLose(state);
  const until = "until" in state ? state.until : Date.now();
  useLayoutEffect(
    () => (loses ? askBeforeLeaving(() => t("download.leave", { time: exact(new Date(until)) })) : undefined),
    [loses],
  );
  useEffect(() => {
    if (state.at === "saved") {
      noteOpened();
    }
  }, [state.at]);

  if (state.at === "gone") {
    return state.lost ? <Lapsed /> : <Gone />;
  }
  const domain = secret?.shareDomain ?? "";
  const title = domain ? t("download.title.domain", { domain }) : t("download.title");
  return (
    <Branded brand={brand}>
      <Page short title={titleOf(state) ?? title}>
        <Card>
          {state.at !== "saved" && <Greeting brand={brand} domain={domain} />}
          {view?.spoiled && <Notice kind="bad">{t("download.spoiled")}</Notice>}
          {known && <Described known={known} preview={view?.preview} />}
          {secret && (state.at === "form" || state.at === "arriving") && <Facts secret={secret} />}
          <Shown
            {...{ state, hasPassphrase, known, download }}
            owned={secret?.owned ?? false}
            room={places().has(known?.size ?? view?.size ?? 0)}
          />
          {state.at !== "saved" && <Command />}
          {secret && state.at !== "saved" && <Address />}
        </Card>
      </Page>
    </Branded>
  );
}

function make(link: Link, options: ConstructorParameters<typeof Download>[1]): Download {
  return new Download(
    {
      source: sourceOf(link),
      open: openParts,
      places: places(),
      records: records(),
      lock: () => lock(options.id),
      world,
      today: () => Date.now(),
      newClaim,
      unnamed: (kind) => (kind === "text" ? "secret.txt" : t("download.unnamed")),
    },
    options,
  );
}

function titleOf({ at }: State): string | undefined {
  switch (at) {
    case "confirming":
      return t("download.confirm.title");
    case "saved":
      return t("download.saved.title");
    default:
      return undefined;
  }
}

interface ShownProps {
  state: Exclude<State, { at: "gone" }>;
  hasPassphrase: boolean;
  known: Known | undefined;
  download: Download;
  owned: boolean;
  /** Whether the browser may have room for the file. */
  room: boolean;
}

/** Shown is what the visitor can do, and what is under way. */
function Shown(props: ShownProps) {
  const { state, download } = props;
  switch (state.at) {
    case "loading":
    case "finishing":
      return <Progress state={state} onCancel={() => download.cancel()} />;
    case "confirming":
      return <Confirm until={state.until} onAnswer={(arrived) => void download.confirm(arrived)} />;
    case "saved":
      return <Saved save={state.save} />;
    case "unfit":
      return <Notice kind="bad">{t("download.unfit")}</Notice>;
    default:
      return <Pressing {...props} state={state} onPress={(passphrase) => void download.press(passphrase)} />;
  }
}

function Confirm({ until, onAnswer }: { until: number; onAnswer: (arrived: boolean) => void }) {
  return (
    <>
      <p>{t("download.confirm")}</p>
      <div class="row">
        <Button kind="primary" icon="check" onClick={() => onAnswer(true)}>
          {t("download.confirm.yes")}
        </Button>
        <Button icon="refresh" onClick={() => onAnswer(false)}>
          {t("download.confirm.no")}
        </Button>
      </div>
      <p class="muted small">{t("download.confirm.until", { time: exact(new Date(until)) })}</p>
    </>
  );
}

function Saved({ save }: { save: (() => void) | undefined }) {
  return (
    <>
      <p>{t("download.saved")}</p>
      {save && (
        <>
          <div class="row">
            <Button icon="download" onClick={save}>
              {t("download.saved.again")}
            </Button>
          </div>
          <p class="muted small">{t("download.saved.kept")}</p>
        </>
      )}
      <p class="muted small">{t("download.trust")}</p>
      <p>
        <LinkButton href="/">{opening("open.reply")}</LinkButton>
      </p>
    </>
  );
}

/** Lapsed is shown when a file is gone that this page had opened. */
function Lapsed() {
  return (
    <Page title={t("download.gone.title")}>
      <Empty icon="warn" title={t("download.gone")}>
        <p>{t("download.gone.text")}</p>
        <LinkButton href="/">{opening("open.reply")}</LinkButton>
      </Empty>
    </Page>
  );
}
