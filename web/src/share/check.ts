/* Checks a draft before it is sent. The page loads this module when something is typed or sent. */
import { byteLength, charCount, duration, isBroken, size } from "../format";
import { t, tn } from "../i18n/share";
import { policy } from "../session";
import { largest } from "../upload/large";
import { limit, noFiles, type Problem, type SharedFile, type Whole } from "./draft";
import { mails } from "./fields";
import type { Kind } from "./kind";
import { type Custom, ceiling, secondsIn } from "./lifetime";
import { mostRecipients, type Part, partsOf } from "./parts";

/** check returns why a draft cannot be shared as a kind. */
export function check(draft: Whole, kind: Kind): Problem {
  const refused = draft.file ? checkFile(draft.file, kind) : checkText(draft.text);
  if (refused) {
    return { field: draft.file ? "form" : "secret", text: refused };
  }
  const text = checkPassphrase(draft.passphrase);
  if (text) {
    return { field: "passphrase", text };
  }
  const lifetime = draft.custom ? checkLifetime(draft.custom) : "";
  if (lifetime) {
    return { field: "ttl", text: lifetime };
  }
  if (isBroken(draft.memo)) {
    return { field: "memo", text: t("share.unicode") };
  }
  const parts = partsOf(draft, kind === "server" && mails());
  const recipients = draft.file?.large && parts.length > 1 ? t("file.one_recipient") : checkParts(parts);
  return recipients ? { field: "recipients", text: recipients } : {};
}

/** The longest label, as the service has it. */
const longestLabel = { characters: 500, bytes: 2000 };

/** What an address looks like to the service, but for rare characters. */
const plain = /^[^\s@.]+(\.[^\s@.]+)*@[^\s@.]+(\.[^\s@.]+)*$/;

/** checkParts returns why the recipients are refused. The names of those who are not mailed to are in the labels. */
function checkParts(parts: readonly Part[]): string {
  if (parts.length > mostRecipients) {
    return t("share.names.max", { count: mostRecipients });
  }
  if (parts.some(({ name }) => isBroken(name))) {
    return t("share.unicode");
  }
  // Once the first has its secret, the service's refusal of another cannot be mended any more.
  const bad = parts.flatMap(({ recipients }) => recipients).find((address) => !plain.test(address));
  if (bad !== undefined) {
    return t("share.recipient.bad", { address: bad });
  }
  const tooLong = ({ name, memo }: Part) =>
    name && (charCount(memo) > longestLabel.characters || byteLength(memo) > longestLabel.bytes);
  return parts.some(tooLong) ? t("share.names.long", { count: longestLabel.characters }) : "";
}

function checkFile({ body, large }: SharedFile, kind: Kind): string {
  if (kind === "server") {
    return noFiles();
  }
  return large ? checkSize(large.size, largest()) : checkSize(body.length);
}

function checkText(text: string): string {
  return text ? checkSize(byteLength(text)) || (isBroken(text) ? t("share.unicode") : "") : t("share.empty");
}

function checkSize(bytes: number, most = limit()): string {
  const over = bytes - most;
  return over > 0 ? t("share.too_large", { over: size(over) }) : "";
}

/** The longest passphrase, as the service and the format have it. */
const longest = { characters: 128, bytes: 512 };

/** checkPassphrase returns why a passphrase is refused. Its limits are those of normal form C, whichever kind it is for. */
function checkPassphrase(passphrase: string): string {
  const fewest = policy.value?.passphraseMin ?? 0;
  if (!passphrase) {
    return policy.value?.passphraseRequired ? t("share.passphrase.required") : "";
  }
  const refused = checkFormat(passphrase);
  return refused || (charCount(passphrase.normalize("NFC")) < fewest ? tn("share.passphrase.min", fewest) : "");
}

/** checkFormat returns why no content can have a passphrase, whatever the policy for secrets says. */
export function checkFormat(passphrase: string): string {
  if (isBroken(passphrase)) {
    return t("share.unicode");
  }
  const composed = passphrase.normalize("NFC");
  if (charCount(composed) > longest.characters || byteLength(composed) > longest.bytes) {
    return t("share.passphrase.max", { count: longest.characters });
  }
  return "";
}

/** checkLifetime returns why a custom lifetime is refused. */
export function checkLifetime(custom: Custom): string {
  const seconds = secondsIn(custom);
  if (Number.isNaN(seconds)) {
    return t("share.ttl.number");
  }
  return seconds > ceiling() ? t("share.ttl.max", { time: duration(ceiling()) }) : "";
}

/** changed says that the policy arrived late and allows another kind than the form showed. */
export function changed(): Problem {
  return { field: "form", text: t("share.kind.changed") };
}
