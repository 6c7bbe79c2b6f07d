/* Shares a draft. The page loads this module when something is typed. */
import { Encryption } from "../contract";
import type { ConcealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { t } from "../i18n";
import { secretLink } from "../link";
import { problemText } from "../problem";
import { asRefusal, Refusal } from "../refusal";
import { secrets } from "../rpc";
import { policy } from "../session";
import { type Created, type Draft, lifetimeOf, type Problem, type Step } from "./draft";
import type { Kind } from "./kind";

/** AnswerError says that the service's answer is not one to what this page sent. */
export class AnswerError extends Error {}

type Share = (authenticityPayload: string) => Promise<Omit<Created, "generated">>;

/**
 * conceal shares a draft as the given kind, and again with a solved challenge if
 * the service asks for one. It returns only an answer of that kind.
 */
export async function conceal(
  draft: Draft,
  kind: Kind,
  onStep: (step: Step) => void,
  signal: AbortSignal,
): Promise<Omit<Created, "generated">> {
  const share: Share = kind === "server" ? withServer(draft) : endToEnd(draft, onStep, signal);
  onStep("sending");
  try {
    return await share("");
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  onStep("proving");
  const { solveChallenge } = await import("../altcha");
  return share(await solveChallenge("conceal"));
}

/** prepare loads what a kind needs, so that sharing need not wait for it. */
export async function prepare(kind: Kind): Promise<void> {
  if (kind === "end_to_end") {
    await format();
  }
}

async function format(): Promise<typeof import("./seal")> {
  try {
    return await import("./seal");
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
      authenticityPayload,
    });
    const { secretKey, shareDomain } = checked(answer, "server");
    return { answer, kind: "server", link: secretLink(baseUrl(), secretKey, shareDomain) };
  };
}

/** endToEnd returns a function that encrypts on this device, under another secret for each call. */
function endToEnd(draft: Draft, onStep: (step: Step) => void, signal: AbortSignal): Share {
  return async (authenticityPayload) => {
    onStep("sealing");
    const { seal } = await format();
    const { sealed, linkOf } = await seal(draft, signal);
    onStep("sending");
    const ttl = lifetimeOf(draft);
    const answer = await secrets.concealSecret({ sealed, ttl, shareDomain: draft.domain, authenticityPayload });
    const { secretKey, shareDomain, hasPassphrase } = checked(answer, "end_to_end");
    // The link goes where the visitor chose: the secret in it is for no other host.
    const link = linkOf(baseUrl(), secretKey);
    if (!link || shareDomain !== draft.domain || hasPassphrase !== sealed.hasPassphrase) {
      throw new AnswerError("the answer is not to this request");
    }
    return { answer, kind: "end_to_end", link };
  };
}

/** checked returns the secret of an answer, if both the secret and its receipt are of a kind. */
function checked(
  { secret, metadata }: ConcealSecretResponse,
  kind: Kind,
): NonNullable<ConcealSecretResponse["secret"]> {
  if (!secret || secret.encryption !== Encryption[kind] || metadata?.encryption !== Encryption[kind]) {
    throw new AnswerError("the answer is of another kind");
  }
  return secret;
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
  const known = field === "secret" || field === "passphrase" || field === "recipients";
  return { field: known ? field : "form", text: problemText(thrown) };
}
