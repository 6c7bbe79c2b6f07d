/* Shares a draft. The page loads this module when something is typed. */
import { Encryption } from "../contract";
import type { ConcealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { t } from "../i18n/share";
import { keyIn, secretLink } from "../link";
import { problemText } from "../problem";
import { remember } from "../receipts/history";
import { asRefusal, Refusal } from "../refusal";
import { secrets } from "../rpc";
import { account, policy } from "../session";
import { type Created, type Draft, lifetimeOf, type Problem, type Step } from "./draft";
import type { Kind } from "./kind";
import { present } from "./made";

export { check } from "./check";

/** AnswerError says that the service's answer is not one to what this page sent. */
export class AnswerError extends Error {}

type Shared = Omit<Created, "generated">;
type Share = (authenticityPayload: string) => Promise<Shared>;

/**
 * conceal shares a draft as the given kind, and again with a solved challenge if
 * the service asks for one. It returns only an answer of that kind.
 */
export async function conceal(
  draft: Draft,
  kind: Kind,
  onStep: (step: Step) => void,
  signal: AbortSignal,
): Promise<Shared> {
  const share: Share = kind === "server" ? withServer(draft) : endToEnd(draft, onStep, signal);
  onStep("sending");
  await needed(receipt);
  try {
    return noted(await share(""));
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  onStep("proving");
  const { solveChallenge } = await import("../altcha");
  return noted(await share(await solveChallenge("conceal")));
}

/** noted remembers the receipt of a sender without an account, if this device keeps a history. */
function noted(made: Shared): Shared {
  if (account.peek() === null) {
    remember(made.metadata);
  }
  return made;
}

/** show goes to the receipt of a secret that was shared, which shows its link. */
export function show(created: Created): void {
  present(created, () => t("result.leave"));
}

/** prepare loads what a kind needs, so that sharing need not wait for it. */
export async function prepare(kind: Kind): Promise<void> {
  await Promise.all([needed(receipt), kind === "end_to_end" && needed(format)]);
}

const format = () => import("./seal");

/** receipt loads the page that shows the link: it must not be missing once the secret is made. */
const receipt = () => Promise.all([import("../pages/receipt"), import("./result")]);

/** needed loads a script, or throws the refusal of a lost connection. */
async function needed<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load();
  } catch {
    throw new Refusal("", { code: "offline" });
  }
}

/** withServer returns a function that leaves the encryption to the server. */
function withServer(draft: Draft): Share {
  return async (authenticityPayload) => {
    const answer = await secrets.concealSecret({
      secret: draft.text,
      passphrase: draft.passphrase,
      ttl: lifetimeOf(draft),
      recipients: addresses(draft.recipients),
      shareDomain: draft.domain,
      memo: draft.memo,
      authenticityPayload,
    });
    const { secret, metadata } = checked(answer, "server");
    return { secret, metadata, kind: "server", link: secretLink(baseUrl(), secret.secretKey, secret.shareDomain) };
  };
}

/** endToEnd returns a function that encrypts on this device, under another secret for each call. */
function endToEnd(draft: Draft, onStep: (step: Step) => void, signal: AbortSignal): Share {
  return async (authenticityPayload) => {
    onStep("sealing");
    const { seal } = await needed(format);
    const { sealed, linkOf } = await seal(draft, signal);
    onStep("sending");
    const answer = await secrets.concealSecret({
      sealed,
      ttl: lifetimeOf(draft),
      shareDomain: draft.domain,
      memo: draft.memo,
      authenticityPayload,
    });
    const { secret, metadata } = checked(answer, "end_to_end");
    // The link goes where the visitor chose: the secret in it is for no other host.
    const link = linkOf(baseUrl(), secret.secretKey);
    if (!link || secret.shareDomain !== draft.domain || secret.hasPassphrase !== sealed.hasPassphrase) {
      throw new AnswerError("the answer is not to this request");
    }
    return { secret, metadata, kind: "end_to_end", link };
  };
}

/** checked returns the secret and the receipt of an answer, if both are of a kind and the receipt has an address. */
function checked({ secret, metadata }: ConcealSecretResponse, kind: Kind): Pick<Created, "secret" | "metadata"> {
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

function addresses(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .map((address) => address.trim())
    .filter(Boolean);
}

/** concealProblem returns the problem of what conceal threw. */
export function concealProblem(thrown: unknown): Problem {
  if (thrown instanceof AnswerError) {
    return { field: "form", text: t("share.answer") };
  }
  const { code, field } = asRefusal(thrown);
  if (code === "offline") {
    return { field: "form", text: t("share.lost") };
  }
  const known = (["secret", "passphrase", "recipients", "memo"] as const).find((name) => name === field);
  return { field: known ?? "form", text: problemText(thrown) };
}
