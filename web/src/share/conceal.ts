/* Shares a draft. The page loads this module when something is typed. */
import { needed } from "../call";
import { Encryption } from "../contract";
import type { ConcealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { t as receiptText } from "../i18n/receipts";
import { t } from "../i18n/share";
import { keyIn, secretLink } from "../link";
import { problemText } from "../problem";
import { remember } from "../receipts/history";
import { asRefusal } from "../refusal";
import { askBeforeLeaving, onLeave } from "../router";
import { secrets } from "../rpc";
import { account, policy } from "../session";
import { type Created, type Draft, lifetimeOf, type Problem, type Step, type Whole } from "./draft";
import { mails } from "./fields";
import { FilesError } from "./files";
import { kept } from "./kept";
import type { Kind } from "./kind";
import { present } from "./made";
import { each, newGroup, type Outcome, type Part, partsOf } from "./parts";
import { CanceledError, canceled, isLost, watch } from "./upload";

export { whole } from "../upload/large";
export { changed, check } from "./check";

/** AnswerError says that the service's answer is not one to what this page sent. */
export class AnswerError extends Error {}

type Shared = Omit<Created, "generated" | "phrase">;
type Share = (authenticityPayload: string) => Promise<Shared>;

/** Sending is what sharing needs besides the draft. */
interface Sending {
  draft: Whole;
  kind: Kind;
  group: Uint8Array<ArrayBuffer>;
  onStep: (step: Step) => void;
  /** Is told how much of a content has left, from 0 to 1. */
  onSent?: (part: number) => void;
  signal: AbortSignal;
}

/**
 * conceal shares a draft as the given kind, one secret for each of its recipients,
 * and goes to their receipt. It throws if not even the first secret was made; if a
 * later one was refused, the receipt says so and offers to go on. It returns whether
 * all were made.
 */
export async function conceal(
  draft: Whole,
  kind: Kind,
  onStep: (step: Step) => void,
  signal: AbortSignal,
  generated: string,
  onSent?: (part: number) => void,
): Promise<boolean> {
  const parts = partsOf(draft, kind === "server" && mails());
  // Of several, those that were made by then would be lost with a cancel.
  const told = parts.length === 1 && kind === "end_to_end" ? onSent : undefined;
  told?.(0);
  const sending = { draft: { ...draft }, kind, group: newGroup(parts), onStep, signal, onSent: told };
  onStep("sending");
  await needed(receipt);
  // Leaving would give up the rest, and the links of what is made by then.
  const stopAsking = parts.length > 1 ? askBeforeLeaving(() => leaving(false)) : () => {};
  // The call on its way may outlive the page, and the question does not.
  signal.addEventListener("abort", stopAsking);
  const outcome = await concealEach(sending, parts);
  signal.removeEventListener("abort", stopAsking);
  stopAsking();
  if (outcome.made.length === 0) {
    throw outcome.thrown;
  }
  if (!signal.aborted) {
    show(sending, outcome, generated);
  }
  return outcome.left.length === 0;
}

/** concealEach shares a draft as the given parts. It stops when the page was left. */
function concealEach(sending: Sending, parts: readonly Part[]): Promise<Outcome<Part, Shared>> {
  return each(parts, (part) => {
    if (sending.signal.aborted) {
      throw new CanceledError("nothing was sent");
    }
    return concealPart(sending, part);
  });
}

/** concealPart shares one part, and again with a solved challenge if the service asks for one. */
async function concealPart(sending: Sending, part: Part): Promise<Shared> {
  const large = sending.draft.file?.large;
  const share =
    sending.kind === "server"
      ? withServer(sending, part)
      : large
        ? inParts(sending, part, large)
        : endToEnd(sending, part);
  try {
    return noted(await share(""));
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  sending.onStep("proving");
  const { solveChallenge } = await needed(() => import("../altcha"));
  return noted(await share(await solveChallenge("conceal", sending.signal).catch(canceled(sending.signal))));
}

/** show goes to the receipt of what was made, which shows the links. It keeps the draft while some are left to make. */
function show(sending: Sending, { made, left, thrown }: Outcome<Part, Shared>, generated: string): void {
  const phrase = sending.draft.drawn === sending.draft.passphrase ? sending.draft.drawn : "";
  const links = made.map((one) => ({ ...one, generated, phrase }));
  if (left.length === 0) {
    present({ links, generated, phrase }, leaving);
    return;
  }
  const again = async () => {
    const gone = new AbortController();
    const stopListening = onLeave(() => gone.abort());
    const next = await concealEach({ ...sending, signal: gone.signal, onStep: () => {} }, left);
    stopListening();
    if (!gone.signal.aborted) {
      show(sending, { ...next, made: [...made, ...next.made] }, generated);
    }
  };
  const rest = {
    names: left.map(({ name }) => name),
    reason: concealProblem(thrown).text ?? "",
    lost: isLost(thrown),
    mailed: left.some(({ recipients }) => recipients.length > 0),
    again,
  };
  present({ links, generated, phrase, rest }, leaving);
}

/** leaving is the question before links are lost, or before the rest is given up. */
function leaving(lost: boolean): string {
  return t(lost ? "result.leave" : "result.leave.rest");
}

/** noted remembers the receipt of a sender without an account, if this device keeps a history. */
function noted(made: Shared): Shared {
  if (account.peek() === null) {
    remember(made.metadata, made.file);
  }
  return made;
}

/** prepare loads what a kind needs, so that sharing need not wait for it. */
export async function prepare(kind: Kind): Promise<void> {
  await Promise.all([
    needed(receipt),
    kind === "end_to_end" && needed(format),
    kept.peek().draft.file?.large && needed(uploads),
  ]);
}

const format = () => import("./seal");

const uploads = () => import("../upload/conceal");

/** receipt loads the pages that show the links: they must not be missing once the secret is made. */
const receipt = () => Promise.all([import("../pages/receipt"), import("../receipts/group"), import("./result")]);

/** withServer returns a function that leaves the encryption to the server. */
function withServer({ draft, group, signal }: Sending, { name, recipients, memo }: Part): Share {
  return async (authenticityPayload) => {
    const upload = watch(signal, undefined);
    const request = {
      secret: draft.text,
      passphrase: draft.passphrase,
      ttl: lifetimeOf(draft),
      recipients,
      shareDomain: draft.domain,
      memo,
      group,
      authenticityPayload,
    };
    const answer = await secrets.concealSecret(request, upload.options).catch(upload.failed).finally(upload.end);
    const { secret, metadata } = checked(answer, "server");
    const link = secretLink(baseUrl(), secret.secretKey, secret.shareDomain);
    return { secret, metadata, kind: "server", link, name };
  };
}

/** endToEnd returns a function that encrypts on this device, under another secret for each call. */
function endToEnd({ draft, group, onStep, onSent, signal }: Sending, { name, memo }: Part): Share {
  return async (authenticityPayload) => {
    onStep("sealing");
    const { seal } = await needed(format);
    const { sealed, linkOf } = await seal(draft, signal).catch(canceled(signal));
    if (signal.aborted) {
      throw new CanceledError("nothing was sent");
    }
    onStep("sending");
    const upload = watch(signal, onSent);
    const request = { sealed, ttl: lifetimeOf(draft), shareDomain: draft.domain, memo, group, authenticityPayload };
    const answer = await secrets.concealSecret(request, upload.options).catch(upload.failed).finally(upload.end);
    const { secret, metadata } = checked(answer, "end_to_end");
    // The link goes where the visitor chose: the secret in it is for no other host.
    const link = linkOf(baseUrl(), secret.secretKey);
    if (!link || secret.shareDomain !== draft.domain || secret.hasPassphrase !== sealed.hasPassphrase) {
      throw new AnswerError("the answer is not to this request");
    }
    const file = draft.file && { name: draft.file.name, size: draft.file.body.length };
    return { secret, metadata, kind: "end_to_end", link, name, file };
  };
}

/** inParts returns a function that encrypts a large file on this device, and begins to send it once its link exists. */
function inParts({ draft, group, onStep, signal }: Sending, { name, memo }: Part, large: Blob): Share {
  return async (authenticityPayload) => {
    onStep("sealing");
    const { beginFile } = await needed(uploads);
    const terms = { ttl: lifetimeOf(draft), shareDomain: draft.domain, memo, group, authenticityPayload };
    const begun = await beginFile(draft, large, terms, signal, () => onStep("sending"));
    if (signal.aborted) {
      begun.cancel();
      throw new CanceledError("no page shows the link");
    }
    const { secret, metadata } = checked(begun.answer, "end_to_end");
    const link = begun.linkOf(baseUrl(), secret.secretKey);
    const hasPassphrase = draft.passphrase !== "";
    if (!link || !begun.fits || secret.shareDomain !== draft.domain || secret.hasPassphrase !== hasPassphrase) {
      throw new AnswerError("the answer is not to this request");
    }
    begun.send();
    const file = { name: draft.file?.name ?? "", size: large.size };
    return { secret, metadata, kind: "end_to_end", link, name, file };
  };
}

/** checked returns the secret and the receipt of an answer, if both are of a kind and the receipt has an address. */
function checked(
  { secret, metadata }: Pick<ConcealSecretResponse, "secret" | "metadata">,
  kind: Kind,
): Pick<Created, "secret" | "metadata"> {
  if (!secret || secret.encryption !== Encryption[kind] || metadata?.encryption !== Encryption[kind]) {
    throw new AnswerError("the answer is of another kind");
  }
  if (!metadata.metadataKey || keyIn(metadata.metadataKey) !== metadata.metadataKey) {
    throw new AnswerError("the answer has no receipt");
  }
  return { secret, metadata };
}

function baseUrl(): string {
  return policy.value?.baseUrl ?? "";
}

/** concealProblem returns the problem of what whole or conceal threw for a draft. */
export function concealProblem(thrown: unknown, draft?: Draft, kind?: Kind): Problem {
  if (thrown instanceof CanceledError) {
    return {};
  }
  if (thrown instanceof FilesError) {
    return { field: "form", text: thrown.message };
  }
  if (thrown instanceof AnswerError) {
    return { field: "form", text: t("share.answer") };
  }
  const [first] = draft && kind === "server" ? partsOf(draft, mails()) : [];
  if (first?.recipients.length && isLost(thrown)) {
    // Trying again would mail another link.
    return { field: "form", text: receiptText("group.rest.lost.mailed", { name: first.name }) };
  }
  const { code, field } = asRefusal(thrown);
  if (code === "offline") {
    return { field: "form", text: t("share.lost") };
  }
  const known = (["secret", "passphrase", "recipients", "memo"] as const).find((name) => name === field);
  return { field: known ?? "form", text: problemText(thrown) };
}
