import { useEffect, useRef, useState } from "preact/hooks";
import { size } from "../format";
import { t, tn } from "../i18n/share";
import { problemText } from "../problem";
import { account, policy } from "../session";
import { announce, Button, Icon, Notice } from "../ui";
import { knownLimit, noFiles, type SharedFile } from "./draft";
import { FilesError, read } from "./files";
import type { Handed } from "./handed";
import type { Kind } from "./kind";
import { Thumb } from "./thumb";

interface FileBoxProps {
  file: SharedFile | undefined;
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
  onFile: (file: SharedFile | undefined) => void;
}

/** FileBox takes a file that is picked, dropped onto the page or pasted, and shows the one that is shared. It packs more files with those that were taken before. */
export default function FileBox({ file, kind, hasText, shown, over, handed, busy, onFile }: FileBoxProps) {
  const [problem, setProblem] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const held = useRef(file);
  held.current = file;
  // One after the other: files that are taken while others are still read are packed with them.
  const before = useRef<Promise<void>>(Promise.resolve());
  const round = useRef(0);
  const take = ({ files, folder }: Handed) => {
    if (kind === "server") {
      setProblem(noFiles());
    } else if (folder) {
      setProblem(t("file.folder"));
    } else {
      const turn = round.current;
      const all = () => [...(held.current?.sources ?? []), ...files];
      before.current = before.current.then(() => share(all, turn));
    }
  };
  const share = async (files: () => readonly File[], turn: number) => {
    try {
      const taken = turn === round.current && (await read(files()));
      if (taken && turn === round.current) {
        held.current = taken;
        setProblem("");
        onFile(taken);
        announce(t("file.taken", { name: taken.name }));
      }
    } catch (thrown) {
      if (turn === round.current) {
        setProblem(thrown instanceof FilesError ? thrown.message : problemText(thrown));
      }
    }
  };
  /** remove shares what is left without one of the files, and packs that anew. */
  const remove = (gone: File) => {
    const rest = () => held.current?.sources.filter((file) => file !== gone) ?? [];
    if (rest().length > 0) {
      const turn = round.current;
      before.current = before.current.then(() => share(rest, turn));
      return;
    }
    round.current += 1;
    setProblem("");
    onFile(undefined);
  };
  const taken = useRef(0);
  useEffect(() => {
    handed.slice(taken.current).forEach(take);
    taken.current = handed.length;
  }, [handed]);
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
          onRemove={remove}
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
            take({ files, folder: false });
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

/** hint says how files get here, how large they may be, and how large with an account. */
function hint(most: number): string {
  const own = Number(policy.value?.accountSecret ?? 0);
  const more = account.value === null && policy.value?.signIn && own > most;
  return [t("file.hint", { limit: size(most) }), more && t("file.hint.account", { limit: size(own) })]
    .filter(Boolean)
    .join(" ");
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
      <p class="muted small">{over ? t("file.drop") : most && hint(most)}</p>
    </div>
  );
}

interface FileCardProps {
  file: SharedFile;
  hasText: boolean;
  /** Chooses more files; left out while the form is sent. */
  onAdd: (() => void) | undefined;
  onRemove: (source: File) => void;
}

/** FileCard lists the files that are shared in place of the text, with what they have together. */
function FileCard({ file, hasText, onAdd, onRemove }: FileCardProps) {
  const most = knownLimit();
  const used = size(file.body.length);
  return (
    <section class="file-card" aria-label={t("file.label")}>
      <ul class="files">
        {file.sources.map((source, i) => (
          <Source
            key={`${i} ${source.name}`}
            source={source}
            name={file.packed[i] ?? file.name}
            onRemove={() => onRemove(source)}
          />
        ))}
      </ul>
      <div class="row row-apart">
        <div class="muted small">
          {file.packed.length > 0 && <p>{tn("file.packed", file.packed.length, { name: file.name })}</p>}
          <p>{most ? t("share.size", { used, limit: size(most) }) : used}</p>
          {hasText && <p>{t("file.instead")}</p>}
        </div>
        {onAdd && (
          <Button size="small" icon="plus" onClick={onAdd}>
            {t("file.add")}
          </Button>
        )}
      </div>
    </section>
  );
}

interface SourceProps {
  source: File;
  /** The name that the recipient gets it under. */
  name: string;
  onRemove: () => void;
}

/** Source is one of the files, with its picture if it is one. */
function Source({ source, name, onRemove }: SourceProps) {
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
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}
