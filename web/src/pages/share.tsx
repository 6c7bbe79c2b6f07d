import { useEffect, useRef, useState } from "preact/hooks";
import { percent } from "../format";
import { t, tn } from "../i18n";
import { lazy } from "../lazy";
import { account, policy } from "../session";
import { type ChosenFile, type Draft, limit, noFiles, type Problem, type Step } from "../share/draft";
import { mails, mayAsk } from "../share/fields";
import { type Handed, useHanded } from "../share/handed";
import { change as changeKept, fileOf, heading, kept, type Mode, open, putFile, shared } from "../share/kept";
import { allows, canEncrypt, type Kind, kindOf } from "../share/kind";
import { Options } from "../share/options";
import { recipientsIn } from "../share/parts";
import { TextBox } from "../share/textbox";
import { Trust } from "../share/trust";
import { Button, Card, Form, Notice, Page, Segmented } from "../ui";

const Cannot = lazy(() => import("../share/cannot"));
const Generator = lazy(() => import("../share/generator"));
const Ask = lazy(() => import("../requests/ask"));
const FileBox = lazy(
  () => import("../share/filebox"),
  () => null,
);

/** conceal loads what shares a draft. */
const conceal = () => import("../share/conceal");

/** Share is the home page: the form. The receipt's page shows the link. */
export default function Share() {
  return (
    <Page topic="" title={t("share.title")} lead={t("share.lead")} {...heading.value}>
      {mayShare() ? <Possible /> : <Cannot why="account" />}
    </Page>
  );
}

function mayShare(): boolean {
  return policy.value?.anonymousCreate !== false || Boolean(account.value);
}

/** Possible shows the form, or why this browser can share nothing here. */
function Possible() {
  const kind = kindOf(kept.value.chosen);
  return kind ? <ShareForm kind={kind} /> : <Cannot why="none" />;
}

/** The field that shows the problem of a part of the draft. */
const fields: Record<string, Problem["field"]> = {
  text: "secret",
  passphrase: "passphrase",
  recipients: "recipients",
  memo: "memo",
  ttl: "ttl",
  custom: "ttl",
};

function ShareForm({ kind }: { kind: Kind }) {
  const { draft: d, mode, aside } = kept.value;
  const [problem, setProblem] = useState<Problem>({});
  const [busy, setBusy] = useState<Step>();
  // How much of a content that is sent has left, from 0 to 1.
  const [part, setPart] = useState<number>();
  const [handed, setHanded] = useState<readonly Handed[]>([]);
  const over = useHanded((one) => setHanded((all) => [...all, one]));
  const sendAsked = useRef<() => void>(undefined);
  const takesFiles = useRef(false);
  takesFiles.current ||= mode === "file" || over || handed.length > 0;
  const area = useRef<HTMLDivElement>(null);
  const gone = useRef(new AbortController());
  const left = useRef(false);
  const change = (part: Partial<Draft>) => {
    const { draft, stated } = kept.peek();
    changeKept({ draft: { ...draft, ...part }, stated: stated ?? kind });
    if (!stated) {
      // A script that does not load now is loaded, and reported, when the form is sent.
      void conceal()
        .then(({ prepare }) => prepare(kind))
        .catch(() => undefined);
    }
    if (Object.keys(part).some((name) => fields[name] === problem.field)) {
      setProblem({}); // it was about another value
    }
  };
  const choose = (next: Kind) => {
    if (next === "server" && kept.peek().draft.file) {
      setProblem({ field: "form", text: noFiles() });
      return;
    }
    changeKept({ chosen: next, stated: next });
    setProblem({});
  };
  const openTab = (next: Mode) => {
    open(next);
    change({});
    setProblem({});
  };
  const takeFile = (file: ChosenFile | undefined) => {
    open("file");
    change({ file });
    setProblem({});
    if (!file) {
      setTimeout(() => area.current?.querySelector<HTMLElement>(".file-drop button")?.focus());
    }
  };
  useEffect(() => {
    if (problem.field && problem.field !== "form") {
      area.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  }, [problem]);
  useEffect(
    () => () => {
      left.current = true;
      gone.current.abort();
    },
    [],
  );

  const links = recipientsIn(d.recipients, kind === "server" && mails()).length;

  const submit = async () => {
    if (busy) {
      return;
    }
    const { draft, stated = kind } = kept.peek();
    changeKept({ stated });
    setProblem({});
    setBusy("sending");
    setPart(undefined);
    setProblem(await send(draft, stated));
    setBusy(undefined);
    if (gone.current.signal.aborted && !left.current) {
      gone.current = new AbortController(); // it was canceled, and may be sent again
    }
  };
  const send = async (sent: Draft, shown: Kind): Promise<Problem> => {
    const sharing = await conceal().catch(() => undefined);
    if (!sharing) {
      return { field: "form", text: t("share.lost") };
    }
    if (shown !== kind) {
      changeKept({ stated: kind }); // only now is it said
      return sharing.changed();
    }
    const { signal } = gone.current;
    try {
      const draft = await sharing.whole(sent);
      const refused = sharing.check(draft, kind);
      if (refused.field) {
        return refused;
      }
      const generated = mode === "generate" ? sent.text : "";
      const all = await sharing.conceal(draft, kind, setBusy, signal, generated, setPart);
      if (!signal.aborted || (all && kept.peek().draft === sent)) {
        shared(mode); // the receipt shows what was made, and it must not be sent again
      }
      return {};
    } catch (thrown) {
      return sharing.concealProblem(thrown, sent, kind);
    }
  };
  return (
    <div ref={area}>
      <Form onSend={() => (mode === "ask" ? sendAsked.current?.() : void submit())} label={t("share.title")}>
        <Card>
          <Segmented label={t("share.mode")} hideLabel value={mode} onValue={openTab} options={tabs()} />
          {kind === "server" && !canEncrypt() && <Cannot why="server" />}
          {mode === "generate" && <Generator text={d.text} onText={(text: string) => change({ text })} />}
          {mode === "text" && (
            <TextBox
              label={t("share.secret")}
              value={d.text}
              most={limit()}
              error={problem.field === "secret" ? problem.text : undefined}
              hint={hasKeys() && t("share.keys", { keys: sendKeys() })}
              onText={(text) => change({ text })}
              onSend={() => void submit()}
            />
          )}
          {takesFiles.current && (
            <FileBox
              file={fileOf(kept.value)}
              kind={kind}
              hasText={aside.text.trim() !== ""}
              shown={mode === "file"}
              over={over}
              handed={handed}
              busy={busy !== undefined}
              told={problem.text}
              chosenNow={() => fileOf(kept.peek())}
              put={putFile}
              onFile={takeFile}
            />
          )}
          {mode === "file" && problem.field === "secret" && <Notice kind="bad">{problem.text}</Notice>}
          {mode === "ask" ? (
            <Ask sender={sendAsked} />
          ) : (
            <>
              <Options draft={d} kind={kind} problem={problem} change={change} onKind={choose} />
              {problem.text && problem.field === "form" && <Notice kind="bad">{problem.text}</Notice>}
              <div class="share-send">
                <Button type="submit" kind="primary" size="large" wide busy={busy !== undefined}>
                  {busy === "sending" && part !== undefined && part > 0
                    ? t("share.busy.sent", { percent: percent(part) })
                    : busy
                      ? t(`share.busy.${busy}`)
                      : links > 1
                        ? tn("share.submit.links", links)
                        : t("share.submit")}
                </Button>
                {busy && busy !== "proving" && part !== undefined && part < 1 && (
                  <Button wide onClick={() => gone.current.abort()}>
                    {t("ui.cancel")}
                  </Button>
                )}
              </div>
              <Trust kind={kind} />
            </>
          )}
        </Card>
      </Form>
    </div>
  );
}

const modes = ["text", "file", "generate", "ask"] as const satisfies Mode[];

/** offers reports whether a tab is there: a file is shared only if this device may encrypt it. */
function offers(mode: Mode): boolean {
  return mode === "file" ? canEncrypt() && allows("end_to_end") : mode !== "ask" || mayAsk();
}

/** tabs returns the tabs with their names. */
function tabs(): [Mode, string][] {
  return modes.filter(offers).map((mode) => [mode, t(`share.mode.${mode}`)]);
}

/** hasKeys reports whether the device probably has a keyboard with keys to hold. */
function hasKeys(): boolean {
  return matchMedia("(any-pointer: fine)").matches;
}

/** sendKeys names the keys that send the form. */
function sendKeys(): string {
  return /Mac|iP(ad|hone|od)/.test(navigator.platform) ? "Cmd+Enter" : t("share.keys.ctrl");
}
