import { useEffect, useRef, useState } from "preact/hooks";
import { needed } from "../call";
import { Encryption } from "../contract";
import { EncryptionLabel } from "../endtoend/label";
import { byteLength, isBroken, size } from "../format";
import { t } from "../i18n/answer";
import { lazy } from "../lazy";
import type { Kind } from "../requests/card";
import { Chip } from "../share/chip";
import type { ChosenFile } from "../share/draft";
import { type Handed, useHanded } from "../share/handed";
import { PassphraseFields } from "../share/passphrase";
import { TextBox } from "../share/textbox";
import { Button, Card, Form, Notice, Segmented } from "../ui";
import { isPast, type Question } from "./lookup";
import type { Call } from "./sealing";
import { useSending } from "./sending";

const FileBox = lazy(() => import("../share/filebox"));

/** seals loads what seals an answer, so that sending need not wait for it. */
const seals = () => Promise.all([import("./sealing"), import("../share/files"), import("../share/check")]);

/** Draft is what the form has. An answer is the text or the file, by the open tab. */
interface Draft {
  mode: Kind;
  text: string;
  file: ChosenFile | undefined;
  passphrase: string;
  drawn: string;
}

/** Problem is why the form sends nothing. */
interface Problem {
  field?: Kind | "passphrase";
  text?: string;
}

/** AnswerForm takes an answer, seals it once and sends it. Nothing is kept of it when the page is left. */
export function AnswerForm({ question, name }: { question: Question; name: string }) {
  const { kinds } = question.asked.card;
  const [draft, setDraft] = useState<Draft>({
    mode: kinds[0] ?? "text",
    text: "",
    file: undefined,
    passphrase: "",
    drawn: "",
  });
  const now = useRef(draft);
  // The last call, and what it was made of: as long as that stays, a press sends the same bytes.
  const made = useRef<{ draft: Draft; call: Call } | undefined>(undefined);
  const [problem, setProblem] = useState<Problem>({});
  const [handed, setHanded] = useState<readonly Handed[]>([]);
  const over = useEnd(question);
  const area = useRef<HTMLDivElement>(null);
  const sending = useSending(question, name, draft.text !== "" || draft.file !== undefined);
  const busy = sending.doing !== undefined;
  const again = made.current?.draft === draft;

  const change = (part: Partial<Draft>) => {
    now.current = { ...now.current, ...part };
    setDraft(now.current);
    setProblem({});
    sending.clear();
    void seals().catch(() => undefined); // what is missing is loaded, and reported, when the form is sent
  };
  const takeFile = (file: ChosenFile | undefined) => change({ mode: "file", file });
  const dragged = useHanded((one) => {
    if (kinds.includes("file")) {
      setHanded((all) => [...all, one]);
    } else {
      setProblem({ field: "text", text: t("answer.files.none") });
    }
  });
  useEffect(() => {
    if (problem.field) {
      area.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
    }
  }, [problem]);

  const submit = async () => {
    const current = now.current;
    if (busy) {
      return;
    }
    if (made.current?.draft !== current) {
      const wrong = await check(current, question);
      setProblem(wrong);
      if (wrong.text) {
        return;
      }
    }
    const settled = await sending.send(
      async (signal) => {
        if (made.current?.draft !== current) {
          made.current = { draft: current, call: await seal(question, current, signal) };
        }
        return made.current.call;
      },
      current.mode === "file" ? current.file : undefined,
    );
    if (settled) {
      made.current = undefined;
    }
  };

  const takesFiles = kinds.includes("file");
  return (
    <div ref={area}>
      <Form onSend={() => void submit()} label={t("answer.title")}>
        <Card>
          {kinds.length > 1 && (
            <Segmented
              label={t("answer.text")}
              hideLabel
              value={draft.mode}
              onValue={(mode) => change({ mode })}
              options={[
                ["text", t("share.mode.text")],
                ["file", t("share.mode.file")],
              ]}
            />
          )}
          {draft.mode === "text" && (
            <TextBox
              label={t("answer.text")}
              value={draft.text}
              most={question.most}
              error={problem.field === "text" ? problem.text : undefined}
              onText={(text) => change({ text })}
              onSend={() => void submit()}
            />
          )}
          {takesFiles && (draft.mode === "file" || dragged || handed.length > 0) && (
            <FileBox
              file={draft.file}
              kind="end_to_end"
              hasText={draft.text.trim() !== ""}
              shown={draft.mode === "file"}
              over={dragged}
              handed={handed}
              busy={busy}
              told={problem.text}
              most={question.most}
              chosenNow={() => now.current.file}
              put={(file: ChosenFile | undefined) => change({ file })}
              onFile={takeFile}
            />
          )}
          {problem.field === "file" && <Notice kind="bad">{problem.text}</Notice>}
          <Passphrase draft={draft} error={problem.field === "passphrase" ? problem.text : undefined} change={change} />
          {over && !again && <Notice kind="warn">{t("answer.ended.past")}</Notice>}
          {sending.unknown && !again && <Notice kind="warn">{t("answer.changed")}</Notice>}
          {sending.problem && <Notice kind={sending.unknown ? "warn" : "bad"}>{sending.problem}</Notice>}
          <Button type="submit" kind="primary" size="large" wide class="answer-send" busy={busy}>
            {sending.busy || t(sending.unknown && again ? "answer.again" : "answer.submit")}
          </Button>
          <EncryptionLabel encryption={Encryption.end_to_end} />
        </Card>
      </Form>
    </div>
  );
}

/** check says what is missing or too long, before anything is sealed. */
async function check(draft: Draft, question: Question): Promise<Problem> {
  const wrong = checkContent(draft, question);
  if (wrong.text || !draft.passphrase) {
    return wrong;
  }
  const loaded = await seals().catch(() => undefined); // without it, nothing is sent, and that says so
  const text = loaded?.[2].checkFormat(draft.passphrase);
  return text ? { field: "passphrase", text } : {};
}

function checkContent(draft: Draft, question: Question): Problem {
  if (isPast(question.asked)) {
    return { field: draft.mode, text: t("answer.ended.past") };
  }
  if (draft.mode === "file") {
    return draft.file ? {} : { field: "file", text: t("answer.file.none") };
  }
  const extra = byteLength(draft.text) - question.most;
  if (draft.text === "") {
    return { field: "text", text: t("answer.empty") };
  }
  if (isBroken(draft.text)) {
    return { field: "text", text: t("problem.broken_text") };
  }
  return extra > 0 ? { field: "text", text: t("share.too_large", { over: size(extra) }) } : {};
}

/** seal makes the call of a draft. */
async function seal(question: Question, draft: Draft, signal: AbortSignal): Promise<Call> {
  const [{ sealCall }, { whole }] = await needed(seals);
  const { mode, text, file, passphrase } = draft;
  return await sealCall(
    question.asked,
    await whole(mode === "file" ? { text: "", file, passphrase } : { text, file: undefined, passphrase }),
    signal,
  );
}

/** useEnd reports whether the time of a request is over. */
function useEnd({ asked }: Question): boolean {
  const [over, setOver] = useState(isPast(asked));
  useEffect(() => {
    const timer = setInterval(() => setOver(isPast(asked)), 1_000);
    return () => clearInterval(timer);
  }, []);
  return over;
}

interface PassphraseProps {
  draft: Draft;
  error: string | undefined;
  change: (part: Partial<Draft>) => void;
}

/** Passphrase is folded away until it is wanted. */
function Passphrase({ draft, error, change }: PassphraseProps) {
  const [open, setOpen] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  const unfold = (next: boolean) => {
    setOpen(next);
    if (next) {
      setTimeout(() => area.current?.querySelector<HTMLElement>(".share-passphrase input")?.focus());
    }
  };
  return (
    <div class="stack" ref={area}>
      <div class="chips">
        <Chip icon="key" open={open || error !== undefined} set={draft.passphrase !== ""} onOpen={unfold}>
          {t("share.passphrase")}
        </Chip>
      </div>
      {(open || error) && (
        <PassphraseFields
          hint={t("answer.passphrase.hint")}
          error={error}
          value={draft.passphrase}
          onValue={(passphrase) => change({ passphrase })}
          drawn={draft.drawn}
          onDrawn={(drawn) => change({ drawn })}
        />
      )}
    </div>
  );
}
