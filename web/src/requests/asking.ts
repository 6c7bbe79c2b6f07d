/* Makes a request. The form loads this module when something is typed. */
import { needed } from "../call";
import { fragment, newSecret } from "../endtoend/link";
import { durationOf } from "../format";
import { keyIn } from "../link";
import { asRefusal } from "../refusal";
import { requests } from "../rpc";
import { account } from "../session";
import { ask, sealCard } from "./card";
import { sealLink } from "./collection";
import { answersOf, type Draft, kindsOf, noteOf, titleOf, ttlOf } from "./draft";
import { keepRequest } from "./kept";
import { collectKeys, linkKeys } from "./keys";
import { loadKem } from "./load";

/** AnswerError says that the service's answer is not one to what this page sent. */
export class AnswerError extends Error {}

/** prepare loads what asking needs, and the page that it leads to: it must not be missing once the request is made. */
export async function prepare(): Promise<void> {
  await Promise.all([needed(loadKem), needed(() => import("../pages/collect"))]);
}

/**
 * create makes a request, again with a solved challenge if the service asks for one, and
 * keeps it on this device. It returns the fragment of its collect link, and whether the
 * browser stored that.
 */
export async function create(draft: Draft, signal: AbortSignal, onProof: () => void): Promise<[string, boolean]> {
  await prepare();
  try {
    return await createOnce(draft, "");
  } catch (thrown) {
    if (asRefusal(thrown).reason !== "challenge") {
      throw thrown;
    }
  }
  onProof();
  const { solveChallenge } = await needed(() => import("../altcha"));
  return await createOnce(draft, await solveChallenge("conceal", signal));
}

/** createOnce draws all secrets anew: another call is another request. */
async function createOnce(draft: Draft, authenticityPayload: string): Promise<[string, boolean]> {
  const secret = newSecret();
  const keys = await collectKeys(secret);
  const title = titleOf(draft);
  const ttl = ttlOf(draft);
  const answers = answersOf(draft);
  const latest = Math.floor(Date.now() / 1000) + ttl;
  const asked = await ask(keys, { title, note: noteOf(draft), kinds: kindsOf(draft), latest, answers });
  const { proof } = await linkKeys(asked.secret);
  const signedIn = account.peek();
  const domain = signedIn ? draft.domain : "";
  const { collectKey, requestKey, request } = await requests.createRequest({
    card: await sealCard(asked),
    linkBox: await sealLink(keys, asked.secret),
    linkProofHash: await sha256(proof),
    collectProofHash: await sha256(keys.proof),
    ttl: durationOf(ttl),
    answers,
    authenticityPayload,
    ...(signedIn && { shareDomain: domain, showAddress: draft.showAddress, notify: draft.notify }),
  });
  // The link goes where the visitor chose: the secret in it is for no other host.
  if (!isKey(collectKey) || !isKey(requestKey) || request?.answers !== answers || request.shareDomain !== domain) {
    throw new AnswerError("the answer is not to this request");
  }
  const place = fragment({ key: collectKey, secret });
  const kept = { key: collectKey, place, title, domain, created: Date.now(), ends: latest * 1000 };
  return [place, await keepRequest(request.id ? { ...kept, id: request.id } : kept)];
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function isKey(text: string): boolean {
  return text !== "" && keyIn(text) === text;
}
