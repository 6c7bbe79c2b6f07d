/* Requests, made, answered and closed as other clients would. */
import { type Bytes, random } from "../src/endtoend/bytes";
import { type Content, openContent, sealContent } from "../src/endtoend/content";
import { derive, proofHash } from "../src/endtoend/keys";
import { fragment, newSecret } from "../src/endtoend/link";
import { stretch } from "../src/endtoend/stretch";
import { newNumber, openAnswer, sealAnswer } from "../src/requests/answer";
import { type Asked, ask as askFor, type Kind, sealCard } from "../src/requests/card";
import { sealLink } from "../src/requests/collection";
import { type CollectKeys, collectKeys, linkKeys } from "../src/requests/keys";
import { environment } from "./environment";
import { base64, text } from "./sealed";
import { rpc } from "./service";

/** Question is what is asked for; what is left out has a value that does. */
export interface Question {
  title?: string;
  note?: string;
  /** How many answers are accepted: 3. */
  answers?: number;
  kinds?: readonly Kind[];
  /** The lifetime in seconds: a day. */
  ttl?: number;
  /** When the request ends according to its card, in seconds since 1970. */
  latest?: number;
  /** The token of the account that asks; empty for none. It is ada's: those without one may have few requests. */
  token?: string;
  showAddress?: boolean;
}

/** Answered is an answer that waits. */
export interface Answered {
  /** The responder's receipt. */
  receipt: string;
  number: Bytes;
  /** The link secret K. */
  secret: Bytes;
}

/** Request is an open request. */
export interface Request {
  /** The places of its links: /q#KEYR and /c#KEYC. */
  requestPlace: string;
  collectPlace: string;
  requestKey: string;
  collectKey: string;
  /** Its secrets in the forms that they must not have in any call, title and note among them. */
  canaries: string[];
  asked: Asked;
  keys: CollectKeys;
  /** answer answers with a text or another content, and with a link secret K of its own unless one is given. */
  answer: (content: string | Content, passphrase?: string, secret?: Bytes) => Promise<Answered>;
  /** read opens all answers that wait without a passphrase, or with this one, in the order in which they came. */
  read: (passphrase?: string) => Promise<Content[]>;
  /** close ends it, and burns its answers on request. */
  close: (burnAnswers?: boolean) => Promise<void>;
}

/** file returns a file as content. */
export function file(fileName: string, body: string, mediaType = ""): Content {
  return { kind: "file", fileName, mediaType, body: new TextEncoder().encode(body) };
}

/** ask makes a request. */
export async function ask(question: Question = {}): Promise<Request> {
  const { ttl = 86400, answers = 3, token = environment().elsewhere?.token ?? "" } = question;
  const c = random(32);
  const keys = await collectKeys(c);
  const asked = await askFor(keys, {
    title: question.title ?? "Deploy key for staging",
    note: question.note ?? "The read-only one.\nThank you!",
    kinds: question.kinds ?? ["text", "file"],
    latest: question.latest ?? Math.floor(Date.now() / 1000) + ttl,
    answers,
  });
  const { proof } = await linkKeys(asked.secret);
  const { requestKey, collectKey } = await rpc<{ requestKey: string; collectKey: string }>(
    "RequestService/CreateRequest",
    {
      card: base64(await sealCard(asked)),
      linkProofHash: base64(await proofHash(proof)),
      collectProofHash: base64(await proofHash(keys.proof)),
      linkBox: base64(await sealLink(keys, asked.secret)),
      ttl: `${ttl}s`,
      answers,
      showAddress: question.showAddress ?? false,
    },
    token ? { Authorization: `Bearer ${token}` } : {},
  );
  const places = {
    requestPlace: `/q#${fragment({ key: requestKey, secret: asked.secret })}`,
    collectPlace: `/c#${fragment({ key: collectKey, secret: c })}`,
  };
  return {
    ...places,
    requestKey,
    collectKey,
    canaries: [
      ...Object.values(places).map((place) => place.slice(-43)),
      ...[c, asked.secret, keys.seed].flatMap((bytes) => [base64(bytes), Buffer.from(bytes).toString("hex")]),
      asked.card.title,
      ...asked.card.note.split("\n").filter(Boolean),
    ],
    asked,
    keys,
    answer: (content, passphrase = "", secret = newSecret()) =>
      answer(requestKey, asked, typeof content === "string" ? text(content) : content, passphrase, secret),
    read: (passphrase = "") => read(collectKey, keys, asked, passphrase),
    close: async (burnAnswers = false) => {
      await rpc("RequestService/CloseRequest", { collectKey, collectProof: base64(keys.proof), burnAnswers });
    },
  };
}

/** answer answers a request. */
export async function answer(
  requestKey: string,
  asked: Asked,
  content: Content,
  passphrase: string,
  secret: Bytes = newSecret(),
): Promise<Answered> {
  const number = newNumber();
  const keys = await derive(secret, passphrase, stretch);
  const { metadata } = await rpc<{ metadata: { metadataKey: string } }>("RequestService/AnswerRequest", {
    requestKey,
    linkProof: base64((await linkKeys(asked.secret)).proof),
    number: base64(number),
    sealedLink: base64(await sealAnswer(asked, number, { secret, name: content.fileName })),
    sealed: {
      content: base64(await sealContent(keys, content)),
      linkProofHash: base64(await proofHash(keys.linkProof)),
      proofHash: base64(await proofHash(keys.proof)),
      hasPassphrase: passphrase !== "",
    },
  });
  return { receipt: metadata.metadataKey, number, secret };
}

const bytes = (text: string): Bytes => Uint8Array.from(Buffer.from(text, "base64"));

async function read(collectKey: string, keys: CollectKeys, asked: Asked, passphrase: string): Promise<Content[]> {
  const collectProof = base64(keys.proof);
  const { collection } = await rpc<{
    collection: { answers?: { number: string; sealedLink: string; secretKey: string }[] };
  }>("RequestService/GetCollection", { collectKey, collectProof });
  const all: Content[] = [];
  for (const { number, sealedLink, secretKey } of collection.answers ?? []) {
    const { secret } = await openAnswer(keys, asked, bytes(number), bytes(sealedLink));
    const derived = await derive(secret, passphrase, stretch);
    const { content } = await rpc<{ content: string }>("SecretService/RevealSecret", {
      secretKey,
      collectProof,
      linkProof: base64(derived.linkProof),
      proof: base64(derived.proof),
    });
    all.push(await openContent(derived, bytes(content)));
  }
  return all;
}
