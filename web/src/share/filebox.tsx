import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { t, tn } from "../i18n/share";
import { problemText } from "../problem";
import { announce, Button, Icon, Notice } from "../ui";
import { knownLimit, noFiles, type SharedFile } from "./draft";
import { FilesError, filesOf, read } from "./files";
import { allows, type Kind } from "./kind";

interface FileBoxProps {
  file: SharedFile | undefined;
  /** The kind that the form shares: the server's is for text only. */
  kind: Kind;
  /** Whether a text waits in the form. */
  hasText: boolean;
  /** Whether the form shows where files can be chosen. */
  offered: boolean;
  onFile: (file: SharedFile | undefined) => void;
}

/** FileBox takes a file that is picked, dropped onto the page or pasted, and shows the one that is shared. It packs more files with those that were taken before. */
export default function FileBox({ file, kind, hasText, offered, onFile }: FileBoxProps) {
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
    <div class="stack-s file-row">
      {over && <p class="file-drop">{t("file.drop")}</p>}
      {file ? (
        <FileCard
          file={file}
          hasText={hasText}
          onAdd={offered ? () => picker.current?.click() : undefined}
          onRemove={() => {
            round.current += 1;
            setProblem("");
            onFile(undefined);
          }}
        />
      ) : (
        offered && <Offer kind={kind} onChoose={() => picker.current?.click()} />
      )}
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

/** Offer is the button that chooses files, or why the chosen kind has none. */
function Offer({ kind, onChoose }: { kind: Kind; onChoose: () => void }) {
  if (kind === "server") {
    return allows("end_to_end") ? <p class="muted small">{noFiles()}</p> : null;
  }
  const most = knownLimit();
  return (
    <div class="row">
      <Button size="small" icon="upload" onClick={onChoose}>
        {t("file.choose")}
      </Button>
      <span class="muted small">{most && t("file.hint", { limit: size(most) })}</span>
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
