/* Calls of the service, its mail and its DNS without a browser. */
import { type Content, openContent } from "../src/endtoend/content";
import { derive } from "../src/endtoend/keys";
import { parse } from "../src/endtoend/link";
import { stretch } from "../src/endtoend/stretch";
import { environment } from "./environment";

const { url, kit, failing } = environment();

/** How long mail takes at most: another node sends it when the one that did has been gone for half a minute. */
const mailTime = failing ? 75_000 : 15_000;

/** The keys of a new secret. */
export interface Waiting {
  key: string;
  receipt: string;
}

/** Draft has what a secret is made from. */
export interface Draft {
  secret: string;
  passphrase?: string;
  ttl?: string;
  /** 16 bytes in base64. */
  group?: string;
}

export async function rpc<A>(procedure: string, request: object, headers: Record<string, string> = {}): Promise<A> {
  const answer = await fetch(`${url}/hush.v1.${procedure}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(request),
  });
  if (!answer.ok) {
    throw new Error(`${procedure}: got ${answer.status} ${await answer.text()}, want 200`);
  }
  return (await answer.json()) as A;
}

/** conceal shares a secret without an account. */
export async function conceal(draft: Draft): Promise<Waiting> {
  const { secret, metadata } = await rpc<{ secret: { secretKey: string }; metadata: { metadataKey: string } }>(
    "SecretService/ConcealSecret",
    draft,
  );
  return { key: secret.secretKey, receipt: metadata.metadataKey };
}

/** reveal opens a secret as another client would. */
export async function reveal(key: string): Promise<string> {
  return (await rpc<{ value: string }>("SecretService/RevealSecret", { secretKey: key })).value;
}

/** openEndToEnd opens an end-to-end encrypted secret as another client would. */
export async function openEndToEnd(link: string, passphrase = ""): Promise<Content> {
  const parsed = parse(new URL(link).hash.slice(1));
  if (typeof parsed === "string") {
    throw new Error(`${link}: got a link that is ${parsed}, want a whole one`);
  }
  const keys = await derive(parsed.secret, passphrase, stretch);
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  const { content } = await rpc<{ content: string }>("SecretService/RevealSecret", {
    secretKey: parsed.key,
    linkProof: base64(keys.linkProof),
    proof: base64(keys.proof),
  });
  return await openContent(keys, Uint8Array.from(Buffer.from(content, "base64")));
}

/** kinds returns the kinds of events in a receipt's timeline, oldest first. */
export async function kinds(receipt: string): Promise<string[]> {
  const { metadata } = await rpc<{ metadata: { events?: { kind: string }[] } }>("MetadataService/GetMetadata", {
    metadataKey: receipt,
  });
  return (metadata.events ?? []).map(({ kind }) => kind);
}

export interface Mail {
  to: string;
  text: string;
}

/** mailTo waits for a mail to an address that contains words. */
export async function mailTo(address: string, words: string): Promise<Mail> {
  for (let end = Date.now() + mailTime; Date.now() < end; ) {
    const mails = (await (await fetch(`${kit}/mails`)).json()) as Mail[];
    const found = mails.find((mail) => mail.to === address && mail.text.includes(words));
    if (found) {
      return found;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`mails to ${address}: got none with ${words}, want one`);
}

/** linkIn returns the first link of a mail, as a path. */
export function linkIn(mail: Mail): string {
  const link = /https?:\/\/\S+/.exec(mail.text)?.[0];
  if (!link) {
    throw new Error(`mail: got no link in ${mail.text}, want one`);
  }
  const { pathname, hash } = new URL(link);
  return pathname + hash;
}

export interface DNSRecord {
  name: string;
  txt?: string[];
  addresses?: string[];
}

/** setDNS sets the DNS records of a name. */
export async function setDNS(record: DNSRecord): Promise<void> {
  const answer = await fetch(`${kit}/dns`, { method: "POST", body: JSON.stringify(record) });
  if (!answer.ok) {
    throw new Error(`dns: got ${answer.status}, want 200`);
  }
}
