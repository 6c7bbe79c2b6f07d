import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { t, tn } from "../i18n/share";
import { problemText } from "../problem";
import { announce, Button, Icon, Notice } from "../ui";
import { knownLimit, noFiles, type SharedFile } from "./draft";
import { FilesError, filesOf, read } from "./files";
import type { Kind } from "./kind";

interface FileBoxProps {
  file: SharedFile | undefined;
  /** The kind that the form shares: the server's is for text only. */
  kind: Kind;
  /** Whether another tab has a text. */
  hasText: boolean;
  /** Whether the tab is open. Files that are dropped or pasted are taken in every tab. */
  shown: boolean;
  /** Whether the form is being sent. */
  busy: boolean;
  onFile: (file: SharedFile | undefined) => void;
}

/** FileBox takes a file that is picked, dropped onto the page or pasted, and shows the one that is shared. It packs more files with those that were taken before. */
export default function FileBox({ file, kind, hasText, shown, busy, onFile }: FileBoxProps) {
  const [problem, setProblem] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const held = useRef(file);
  held.current = file;
  // One after the other: files that are taken while others are still read are packed with them.
  const before = useRef<Promise<void>>(Promise.resolve());
  const round = useRef(0);
  const fail = (thrown: unknown) => setProblem(thrown instanceof FilesError ? thrown.message : problemText(thrown));
  const take = (files: () => File[]) => {
    try {
      if (kind === "server") {
        throw new FilesError(noFiles());
      }
      const added = files(); // what is dropped or pasted can be read only now
      const turn = round.current;
      before.current = before.current.then(() => add(added, turn));
    } catch (thrown) {
      fail(thrown);
    }
  };
  const add = async (added: File[], turn: number) => {
    try {
      const taken = turn === round.current && (await read([...(held.current?.sources ?? []), ...added]));
      if (taken && turn === round.current) {
        held.current = taken;
        setProblem("");
        onFile(taken);
        announce(t("file.taken", { name: taken.name }));
      }
    } catch (thrown) {
      if (turn === round.current) {
        fail(thrown);
      }
    }
  };
  const over = useDroppedFiles((data) => take(() => filesOf(data)));
  useEffect(
    () => () => {
      round.current += 1;
    },
    [],
  );
  return (
    <div class={shown || over || problem ? "stack-s file-box" : "file-box-closed"}>
      {shown && file ? (
        <FileCard
          file={file}
          hasText={hasText}
          onAdd={busy ? undefined : () => picker.current?.click()}
          onRemove={() => {
            round.current += 1;
            setProblem("");
            onFile(undefined);
          }}
        />
      ) : (
        shown && <Offer kind={kind} over={over} onChoose={() => picker.current?.click()} />
      )}
      {over && (file || !shown) && <p class="file-drop">{t("file.drop")}</p>}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={t("file.choose")}
        onChange={({ currentTarget: input }) => {
          const files = [...(input.files ?? [])];
          input.value = "";
          if (files.length > 0) {
            take(() => files);
          }
        }}
      />
      {problem && <Notice kind="bad">{problem}</Notice>}
    </div>
  );
}

interface OfferProps {
  kind: Kind;
  /** Whether files are dragged over the page. */
  over: boolean;
  onChoose: () => void;
}

/** Offer is the zone where files are dropped or chosen, or why the chosen kind has none. */
function Offer({ kind, over, onChoose }: OfferProps) {
  if (kind === "server") {
    return <p class="file-drop file-none">{noFiles()}</p>;
  }
  const most = knownLimit();
  return (
    <div class={over ? "file-drop file-over" : "file-drop"}>
      <Icon name="upload" />
      <Button onClick={onChoose}>{t("file.choose")}</Button>
      <p class="muted small">{over ? t("file.drop") : most && t("file.hint", { limit: size(most) })}</p>
    </div>
  );
}

interface FileCardProps {
  file: SharedFile;
  hasText: boolean;
  /** Chooses more files; left out while the form is sent. */
  onAdd: (() => void) | undefined;
  onRemove: () => void;
}

/** FileCard shows the file that is shared in place of the text. */
function FileCard({ file, hasText, onAdd, onRemove }: FileCardProps) {
  return (
    <section class="file-card" aria-label={t("file.label")}>
      <Icon name="file" />
      <div class="stack-s">
        <p>
          <strong class="file-name" dir="auto">
            {file.name}
          </strong>{" "}
          <span class="muted">{size(file.body.length)}</span>
        </p>
        {file.packed.length > 0 && (
          <p class="muted small">{tn("file.packed", file.packed.length, { names: file.packed.join(", ") })}</p>
        )}
        {hasText && <p class="muted small">{t("file.instead")}</p>}
      </div>
      <div class="row">
        {onAdd && (
          <Button size="small" icon="plus" onClick={onAdd}>
            {t("file.add")}
          </Button>
        )}
        <Button size="small" icon="close" onClick={onRemove}>
          {t("file.remove")}
        </Button>
      </div>
    </section>
  );
}

/**
 * useDroppedFiles calls take with files that are dropped or pasted anywhere on the
 * page, and returns whether some are dragged over it. Without it, the browser
 * would leave the page and open them. A paste that also has text is left alone:
 * spreadsheets and word processors add a picture of it.
 */
function useDroppedFiles(take: (data: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false);
  const current = useRef(take);
  current.current = take;
  useEffect(() => {
    const end = new AbortController();
    const on = <K extends "dragover" | "dragleave" | "drop" | "paste">(
      kind: K,
      fn: (event: DocumentEventMap[K]) => void,
    ) => document.addEventListener(kind, fn, { signal: end.signal });
    on("dragover", (event) => {
      if (hasFiles(event.dataTransfer)) {
        event.preventDefault();
        setOver(true);
      }
    });
    on("dragleave", (event) => setOver((was) => was && event.relatedTarget !== null));
    on("drop", (event) => {
      setOver(false);
      if (event.dataTransfer && hasFiles(event.dataTransfer)) {
        event.preventDefault();
        current.current(event.dataTransfer);
      }
    });
    on("paste", (event) => {
      const data = event.clipboardData;
      if (data && hasFiles(data) && !data.types.includes("text/plain")) {
        event.preventDefault();
        current.current(data);
      }
    });
    return () => end.abort();
  }, []);
  return over;
}

function hasFiles(data: DataTransfer | null): boolean {
  return Boolean(data?.types.includes("Files"));
}
