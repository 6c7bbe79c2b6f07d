import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { t, tn } from "../i18n/share";
import { lazy } from "../lazy";
import { problemText } from "../problem";
import { account, policy } from "../session";
import { announce, Button, Icon, Notice } from "../ui";
import { accountLargest, knownLargest, largest, lengthOf } from "../upload/large";
import { type ChosenFile, knownLimit, limit, noFiles } from "./draft";
import { chosen, FilesError, refused } from "./files";
import type { Handed } from "./handed";
import type { Kind } from "./kind";
import { Thumb } from "./thumb";

const LargeFields = lazy(
  () => import("../upload/note"),
  () => null,
);

interface FileBoxProps {
  file: ChosenFile | undefined;
  /** The kind that the form shares: the server's is for text only. */
  kind: Kind;
  /** Whether another tab has a text. */
  hasText: boolean;
  /** Whether the tab is open. Files that are dropped or pasted are taken in every tab. */
  shown: boolean;
  /** Whether files are dragged over the page. */
  over: boolean;
  /** What was dropped or pasted since the form appeared, the oldest first. */
  handed: readonly Handed[];
  /** Whether the form is being sent. */
  busy: boolean;
  /** The problem that the form shows already. */
  told: string | undefined;
  /** Returns what is chosen by now, and is asked between two drawings. */
  chosenNow: () => ChosenFile | undefined;
  /** Replaces what is chosen, and opens no tab. */
  put: (file: ChosenFile | undefined) => void;
  /** The most bytes of a file, where it is not that of a secret. */
  most?: number;
  onFile: (file: ChosenFile | undefined) => void;
}

/** FileBox takes a file that is picked, dropped onto the page or pasted, and shows the one that is shared. It packs more files with those that were taken before. */
export default function FileBox(props: FileBoxProps) {
  const { file, kind, hasText, shown, over, handed, busy, told, onFile, chosenNow, put } = props;
  const { most } = props;
  const choose = (files: readonly File[]) =>
    most === undefined ? chosen(files, largest, limit) : chosen(files, () => most);
  const refuse = (files: readonly File[]) => refused(files, most === undefined ? largest : () => most);
  const [problem, setProblem] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const left = useRef(false);
  // What is chosen by now: two files may be taken before the box is drawn anew.
  const sources = () => chosenNow()?.sources ?? [];
  const take = ({ files, folder }: Handed) => {
    const all = [...sources(), ...files];
    const text = refusal(files, folder) || refuse(all);
    setProblem(text);
    if (!text) {
      const next = choose(all);
      onFile(next);
      watch(next, files);
    }
  };
  const refusal = (files: readonly File[], folder: boolean) => {
    if (kind === "server") {
      return noFiles();
    }
    return folder ? t("file.folder") : files.length === 0 ? t("file.none") : "";
  };
  /** remove shares what is left without one of the files, and packs that anew. */
  const remove = (gone: File) => {
    if (busy) {
      return;
    }
    setProblem("");
    const next = choose(sources().filter((file) => file !== gone));
    onFile(next);
    watch(next);
  };
  /** watch says when a file is read. Files that were added and cannot be are taken out again, and the others stay. */
  const watch = (next: ChosenFile | undefined, added: readonly File[] = []) => {
    const current = () => chosenNow() === next;
    if (!next) {
      return;
    }
    lengthOf(next).then(
      () => current() && !left.current && announce(t("file.taken", { name: next.name })),
      (thrown) => {
        const rest = sources().filter((file) => !added.includes(file));
        if (rest.length < sources().length) {
          const before = choose(rest);
          put(before);
          watch(before);
        } else if (!current()) {
          return; // it is not to be shared any more
        }
        setProblem(textOf(thrown));
      },
    );
  };
  const taken = useRef(0);
  useEffect(() => {
    if (!busy) {
      handed.slice(taken.current).forEach(take);
      taken.current = handed.length;
    }
  }, [handed, busy]);
  useEffect(() => {
    if (file) {
      lengthOf(file).catch((thrown) => setProblem(textOf(thrown)));
    }
    return () => {
      left.current = true;
    };
  }, []);
  return (
    <div class={shown || over || problem ? "stack-s file-box" : "file-box-closed"}>
      {shown && file ? (
        <FileCard
          file={file}
          most={most ?? knownLargest()}
          takesLarge={most === undefined}
          hasText={hasText}
          onAdd={busy ? undefined : () => picker.current?.click()}
          onRemove={remove}
          busy={busy}
        />
      ) : (
        shown && <Offer kind={kind} most={most} over={over} onChoose={() => picker.current?.click()} />
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
            take({ files, folder: false });
          }
        }}
      />
      {problem && problem !== told && <Notice kind="bad">{problem}</Notice>}
    </div>
  );
}

/** textOf says why files could not be read. */
function textOf(thrown: unknown): string {
  return thrown instanceof FilesError ? thrown.message : problemText(thrown);
}

interface OfferProps {
  kind: Kind;
  most: number | undefined;
  /** Whether files are dragged over the page. */
  over: boolean;
  onChoose: () => void;
}

/** hint says how files get here, how large they may be, and how large with an account. */
function hint(most: number): string {
  const own = accountLargest();
  const more = account.value === null && policy.value?.signIn && own > most;
  return [t("file.hint", { limit: size(most) }), more && t("file.hint.account", { limit: size(own) })]
    .filter(Boolean)
    .join(" ");
}

/** Offer is the zone where files are dropped or chosen, or why the chosen kind has none. */
function Offer({ kind, most, over, onChoose }: OfferProps) {
  if (kind === "server") {
    return <p class="file-drop file-none">{noFiles()}</p>;
  }
  const own = knownLargest();
  return (
    <div class={over ? "file-drop file-over" : "file-drop"}>
      <Icon name="upload" />
      <Button onClick={onChoose}>{t("file.choose")}</Button>
      <p class="muted small">
        {over ? t("file.drop") : most ? t("file.hint", { limit: size(most) }) : own && hint(own)}
      </p>
    </div>
  );
}

interface FileCardProps {
  file: ChosenFile;
  most: number | undefined;
  /** Whether a file that is too large for one message is sent in parts. */
  takesLarge: boolean;
  hasText: boolean;
  /** Chooses more files; left out while the form is sent. */
  onAdd: (() => void) | undefined;
  onRemove: (source: File) => void;
  busy: boolean;
}

/** FileCard lists the files that are shared in place of the text, with what they have together. */
function FileCard({ file, most, takesLarge, hasText, onAdd, onRemove, busy }: FileCardProps) {
  const length = useLength(file);
  const isLarge = takesLarge && (length ?? 0) > (knownLimit() ?? Number.POSITIVE_INFINITY);
  const used = length !== undefined && size(length);
  return (
    <section class="file-card" aria-label={t("file.label")}>
      <ul class="files">
        {file.sources.map((source, i) => (
          <Source
            key={`${i} ${source.name}`}
            source={source}
            name={file.packed[i] ?? file.name}
            onRemove={() => onRemove(source)}
            busy={busy}
          />
        ))}
      </ul>
      <div class="row row-apart">
        <div class="muted small">
          {file.packed.length > 0 && <p>{tn("file.packed", file.packed.length, { name: file.name })}</p>}
          {used && <p>{most ? t("share.size", { used, limit: size(most) }) : used}</p>}
          {hasText && <p>{t("file.instead")}</p>}
        </div>
        {onAdd && (
          <Button size="small" icon="plus" onClick={onAdd}>
            {t("file.add")}
          </Button>
        )}
      </div>
      {isLarge && <LargeFields />}
    </section>
  );
}

/** useLength returns how many bytes of a file are sent. While another one is read, it is still that of the last. */
function useLength(file: ChosenFile): number | undefined {
  const [length, setLength] = useState<number>();
  useEffect(() => {
    let current = true;
    lengthOf(file).then(
      (length) => current && setLength(length),
      () => current && setLength(undefined),
    );
    return () => {
      current = false;
    };
  }, [file]);
  return length;
}

interface SourceProps {
  source: File;
  /** The name that the recipient gets it under. */
  name: string;
  onRemove: () => void;
  busy: boolean;
}

/** Source is one of the files, with its picture if it is one. */
function Source({ source, name, onRemove, busy }: SourceProps) {
  return (
    <li class="file-line">
      <Thumb source={source} name={name} />
      <p>
        <strong class="file-name" dir="auto">
          {name}
        </strong>
        <span class="muted small">{size(source.size)}</span>
      </p>
      <button
        type="button"
        class="input-button file-remove"
        title={t("file.remove")}
        aria-label={t("file.remove.named", { name })}
        aria-disabled={busy}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
