import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { t, tn } from "../i18n/share";
import { announce, Button, Icon, Notice } from "../ui";
import { limit, type SharedFile } from "./draft";
import { FilesError, filesOf, read } from "./files";
import type { Kind } from "./kind";

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

/** FileBox takes a file that is picked, dropped onto the page or pasted, and shows the one that is shared. */
export default function FileBox({ file, kind, hasText, offered, onFile }: FileBoxProps) {
  const [problem, setProblem] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const latest = useRef(0);
  const take = async (files: () => File[]) => {
    const turn = ++latest.current;
    try {
      if (kind === "server") {
        throw new FilesError(t("share.file.kind"));
      }
      const taken = await read(files());
      if (turn === latest.current) {
        setProblem("");
        onFile(taken);
        announce(t("file.taken", { name: taken.name }));
      }
    } catch (thrown) {
      if (turn === latest.current) {
        setProblem(thrown instanceof FilesError ? thrown.message : t("problem.internal"));
      }
    }
  };
  const over = useDroppedFiles((data) => void take(() => filesOf(data)));
  useEffect(
    () => () => {
      latest.current += 1;
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
          onRemove={() => {
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
            void take(() => files);
          }
        }}
      />
      {problem && <Notice kind="bad">{problem}</Notice>}
    </div>
  );
}

/** Offer is the button that chooses files, or why there is none. */
function Offer({ kind, onChoose }: { kind: Kind; onChoose: () => void }) {
  return kind === "server" ? (
    <p class="muted small">{t("share.file.kind")}</p>
  ) : (
    <div class="row">
      <Button size="small" icon="upload" onClick={onChoose}>
        {t("file.choose")}
      </Button>
      <span class="muted small">{t("file.hint", { limit: size(limit()) })}</span>
    </div>
  );
}

interface FileCardProps {
  file: SharedFile;
  hasText: boolean;
  onRemove: () => void;
}

/** FileCard shows the file that is shared in place of the text. */
function FileCard({ file, hasText, onRemove }: FileCardProps) {
  return (
    <section class="file-card" aria-label={t("file.label")}>
      <Icon name="receipt" />
      <div class="stack-s">
        <p>
          <strong class="file-name">{file.name}</strong> <span class="muted">{size(file.body.length)}</span>
        </p>
        {file.packed.length > 0 && (
          <p class="muted small">{tn("file.packed", file.packed.length, { names: file.packed.join(", ") })}</p>
        )}
        {hasText && <p class="muted small">{t("file.instead")}</p>}
      </div>
      <Button size="small" icon="close" onClick={onRemove}>
        {t("file.remove")}
      </Button>
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
