/*
 * What the page shows of a collection, which comes from a server that may alter it.
 * Nothing is shown before request and card are those of the collect link.
 */
import { EventKind, RequestState, State } from "../contract";
import { type Bytes, equal } from "../endtoend/bytes";
import type { Answer, Request } from "../gen/hush/v1/request_pb";
import type { Collection } from "../gen/hush/v1/request_service_pb";
import { AnswerError, openAnswer } from "../requests/answer";
import type { Asked } from "../requests/card";
import { openCollection } from "../requests/collection";
import type { CollectKeys } from "../requests/keys";

/** Phase is what the page shows of an answer's state: "opening" while a claim on it lasts. */
export type Phase = "waiting" | "opening" | "opened" | "lapsed" | "burned" | "expired";

/** Entry is an answer in the list. */
export interface Entry {
  /** Its place in the order of arrival: 1 for the first. */
  place: number;
  /** What tells it from the others. */
  id: string;
  answer: Answer;
  phase: Phase;
  /** The link secret K of an answer that can be opened. */
  secret?: Bytes | undefined;
  /** The name of the file, empty for a text, or undefined if it is unknown. */
  name?: string | undefined;
  /** Why it must not be opened: it repeats another answer, or its link does not open. */
  refused?: "repeat" | "altered" | undefined;
  /** Whether another answer in the list has its number: then burning it may burn the other. */
  shared: boolean;
}

/** Shown is a collection that passed its checks. */
export interface Shown {
  asked: Asked;
  /** The key in the request's link. */
  requestKey: string;
  request: Request;
  entries: readonly Entry[];
}

/** Link is the sealed link of an answer as it came first, and what it opened to: nothing if it was altered. */
interface Link {
  sealed: Bytes;
  secretKey: string;
  secret?: Bytes;
  name?: string;
}

/** Collector checks one collection again and again. It remembers what it has seen as long as the page is open. */
export class Collector {
  #asked: { asked: Asked; linkBox: Uint8Array; card: Uint8Array } | undefined;
  /** By the numbers A of the answers: how they were last, and their links. */
  readonly #last = new Map<string, Answer>();
  readonly #links = new Map<string, Link>();
  /** The numbers by the link secrets K. */
  readonly #numbers = new Map<string, string>();
  /** The numbers of the answers that this page showed. */
  readonly #opened = new Set<string>();

  constructor(private readonly keys: CollectKeys) {}

  /** take checks a collection as it came, and returns what of it is shown. It throws CardError. */
  async take(collection: Collection): Promise<Shown> {
    const asked = await this.#check(collection);
    const entries: Entry[] = [];
    const numbers = new Set<string>();
    const counts = new Map<string, number>();
    for (const { number } of collection.answers) {
      counts.set(hex(number), (counts.get(hex(number)) ?? 0) + 1);
    }
    for (const [i, answer] of collection.answers.entries()) {
      const id = hex(answer.number);
      const isRepeat = numbers.has(id);
      numbers.add(id);
      const place = i + 1;
      const entry: Omit<Entry, "shared"> = isRepeat
        ? { place, id: `${id}/${place}`, answer, phase: phaseOf(answer), refused: "repeat" }
        : await this.#entry(asked, place, id, answer);
      entries.push({ ...entry, shared: (counts.get(id) ?? 0) > 1 });
    }
    const { request, requestKey } = collection;
    if (!request) {
      throw new Error("a collection without its request");
    }
    return { asked, requestKey, request, entries };
  }

  /** opened notes that this page showed an answer: it opens no second time, whatever the server says. */
  opened(id: string): void {
    this.#opened.add(id);
  }

  async #check({ linkBox, card }: Collection): Promise<Asked> {
    const known = this.#asked;
    if (known && equal(known.linkBox, linkBox) && equal(known.card, card)) {
      return known.asked;
    }
    const asked = await openCollection(this.keys, linkBox.slice(), card.slice());
    this.#asked = { asked, linkBox, card };
    return asked;
  }

  async #entry(asked: Asked, place: number, id: string, given: Answer): Promise<Omit<Entry, "shared">> {
    const answer = later(this.#last.get(id) ?? given, given);
    this.#last.set(id, answer);
    const phase = this.#opened.has(id) && isWaiting(answer) ? "opened" : phaseOf(answer);
    const entry: Omit<Entry, "shared"> = { place, id, answer, phase, name: this.#links.get(id)?.name };
    if (answer.sealedLink.length === 0) {
      return isWaiting(answer) ? { ...entry, refused: "altered" } : entry;
    }
    const { sealed, secretKey, secret, name } = this.#links.get(id) ?? (await this.#open(asked, id, answer));
    if (!equal(sealed, answer.sealedLink) || secretKey !== answer.secretKey) {
      return { ...entry, refused: "repeat" };
    }
    if (!secret) {
      return { ...entry, refused: "altered" };
    }
    const first = this.#numbers.get(hex(secret)) ?? id;
    this.#numbers.set(hex(secret), first);
    return first === id ? { ...entry, secret, name } : { ...entry, refused: "repeat" };
  }

  /** #open opens the sealed link of an answer, once. */
  async #open(asked: Asked, id: string, { number, sealedLink, secretKey }: Answer): Promise<Link> {
    const sealed = sealedLink.slice();
    const link = { sealed, secretKey, ...(await opened(this.keys, asked, number.slice(), sealed)) };
    this.#links.set(id, link);
    return link;
  }
}

/** opened opens a sealed link, and returns nothing for one that is not this answer's. */
async function opened(
  keys: CollectKeys,
  asked: Asked,
  number: Bytes,
  sealed: Bytes,
): Promise<{ secret?: Bytes; name?: string }> {
  try {
    return await openAnswer(keys, asked, number, sealed);
  } catch (thrown) {
    if (thrown instanceof AnswerError) {
      return {};
    }
    throw thrown;
  }
}

/** later returns the one that is further on: what ended never waits again, whichever message comes last. */
function later(one: Answer, other: Answer): Answer {
  return rank(other) < rank(one) ? one : other;
}

function rank(answer: Answer): number {
  return isWaiting(answer) ? 0 : answer.sealedLink.length > 0 ? 1 : 2;
}

function isWaiting({ state }: Answer): boolean {
  return (state as number) === State.new || (state as number) === State.viewed;
}

function phaseOf(answer: Answer): Phase {
  switch (answer.state as number) {
    case State.burned:
      return "burned";
    case State.expired:
      return "expired";
    case State.received:
      return answer.sealedLink.length > 0 ? "opening" : hasLapsed(answer) ? "lapsed" : "opened";
    default:
      return "waiting";
  }
}

function hasLapsed({ events }: Answer): boolean {
  return events.some(({ kind }) => (kind as number) === EventKind.lapsed);
}

/** isOpen reports whether a request takes answers. */
export function isOpen({ request }: Pick<Shown, "request">): boolean {
  return (request.state as number) === RequestState.open;
}

/** isOver reports whether nothing more can happen to the answers of a collection. */
export function isOver({ request, answers }: Collection): boolean {
  return (request?.state as number) !== RequestState.open && answers.every((answer) => rank(answer) === 2);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
