import { duration, durationOf } from "../format";
import type { Metadata } from "../gen/hush/v1/metadata_pb";
import type { Secret } from "../gen/hush/v1/secret_pb";
import { t } from "../i18n";
import { account, policy } from "../session";
import { allows, type Kind } from "./kind";
import { type Custom, ceiling, secondsIn } from "./lifetime";

/** Draft is the form's content. */
export interface Draft {
  text: string;
  /** Shared instead of a text, which is empty then. */
  file?: ChosenFile | undefined;
  passphrase: string;
  /** The passphrase that the page drew last. */
  drawn: string;
  /** The chosen lifetime in seconds; 0 for the default. */
  ttl: number;
  /** The lifetime that the visitor wrote instead. */
  custom?: Custom | undefined;
  recipients: string;
  domain: string;
  /** The sender's label. */
  memo: string;
  /** The note that the recipient of a large file sees before opening it. */
  note?: string;
  /** The kind that the visitor chose. */
  kind?: Kind;
}

/** SharedFile is a file with a name that every system can keep it under. */
export interface SharedFile {
  name: string;
  type: string;
  /** The content; empty if the file is large. */
  body: Uint8Array<ArrayBuffer>;
  /** The content of a file that is too large for one message: it is read while it is sent. */
  large?: Blob;
  /** How many files it packs; 0 or absent if it is a file itself. */
  count?: number;
}

/** ChosenFile is the file that is shared for what a visitor chose. It never changes: another choice is another one. */
export interface ChosenFile extends Omit<SharedFile, "body" | "large" | "count"> {
  /** Returns the content once it is read and packed, which begins again if it failed. It throws a FilesError or a Refusal. */
  body: () => Promise<Uint8Array<ArrayBuffer>>;
  /** The names of the files that it packs; empty if it is a file itself. */
  packed: readonly string[];
  /** What is sent of a file that is probably too large for one message. It is not read before. */
  large?: File;
  /** What the visitor chose: these and no others are in the content. */
  sources: readonly File[];
}

/** Whole is a draft whose file is read. */
export interface Whole extends Omit<Draft, "file"> {
  file?: SharedFile | undefined;
}

/** FileFacts is what the sender sees of a file after it was shared. The service does not know it. */
export interface FileFacts {
  name: string;
  /** Its length in bytes. */
  size: number;
}

export const empty: Omit<Draft, "file"> = {
  text: "",
  passphrase: "",
  drawn: "",
  ttl: 0,
  recipients: "",
  domain: "",
  memo: "",
};

/** Created is a secret that was shared, for the page that shows its link. */
export interface Created {
  secret: Secret;
  metadata: Metadata;
  kind: Kind;
  /** The link for the recipient. */
  link: string;
  /** Whom the link is for; empty if the sender did not say. */
  name: string;
  /** The file that was shared, unless it is a text. */
  file?: FileFacts | undefined;
  /** The text if this page generated it. */
  generated: string;
  /** The passphrase if this page drew it. */
  phrase: string;
}

/** Step is what takes time while a draft is shared. */
export type Step = "sealing" | "sending" | "proving";

/** Problem says why the form was refused, beside a field or beside its button (form). */
export interface Problem {
  field?: "secret" | "passphrase" | "recipients" | "memo" | "ttl" | "form";
  text?: string;
}

/** noFiles says why the server's kind takes no files. */
export function noFiles(): string {
  return t(allows("end_to_end") ? "share.file.kind" : "share.file.none");
}

/** limit returns the most bytes of a secret, or a generous number until that is known. */
export function limit(): number {
  return knownLimit() ?? 1 << 20;
}

/**
 * knownLimit returns the most bytes of a secret. On a slow line a person may have chosen
 * a file before it is known whether that person has an account: it is undefined then.
 */
export function knownLimit(): number | undefined {
  const known = account.value === undefined ? 0 : account.value?.secretLimit || policy.value?.anonymousSecret;
  return Number(known || 0) || undefined;
}

/** lifetimeOf returns the lifetime that a draft asks for. */
export function lifetimeOf(draft: Omit<Draft, "file">): ReturnType<typeof durationOf> {
  return durationOf(draft.custom ? secondsIn(draft.custom) : draft.ttl || defaultTtl());
}

const lifetimes = [300, 3600, 4 * 3600, 86400, 3 * 86400, 7 * 86400, 14 * 86400, 30 * 86400, 90 * 86400, 365 * 86400];

export function defaultTtl(): number {
  return Math.min(Number(policy.value?.defaultTtl || 7 * 86400), ceiling());
}

/** choices returns the lifetimes to choose from, including the operator's default and maximum. */
export function choices(): [string, string][] {
  const all = new Set([...lifetimes, defaultTtl(), ceiling()]);
  return [...all]
    .filter((seconds) => seconds <= ceiling())
    .sort((a, b) => a - b)
    .map((seconds) => [String(seconds), duration(seconds)]);
}
