/*
 * The card, in which a requester says what is asked for, as seal/request writes it:
 *
 *   01 647a 0001 0002 | salt (32) | public key (1,216) | protobuf
 *
 * The secret R of the request's link is the hash of these bytes. So a card that came
 * from a server is hashed as it is, and never encoded anew.
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Bytes, encoded, equal, joined, random } from "../endtoend/bytes";
import { ChunkedError, open, seal, sealedSize } from "../endtoend/chunked";
import { isClean, padded } from "../endtoend/content";
import { lengthSize, pad, unpad } from "../endtoend/plain";
import { type RequestCard, RequestCardSchema } from "../gen/hush/v1/card_pb";
import { ContentHeader_Kind } from "../gen/hush/v1/content_pb";
import { suite } from "./hpke";
import { type CollectKeys, linkKeys } from "./keys";
import { answersMax, type Kind, noteMax, titleMax } from "./limits";
import { loadKem } from "./load";

export { answersMax, type Kind, noteMax, titleMax };

const prefix = joined([Uint8Array.of(1), suite]);
const saltSize = 32;
const publicSize = 1216;
const headSize = prefix.length + saltSize + publicSize;
const cardMax = 12 * 1024;
const context = encoded("hush.v1 request");

/** The last second of the year 9999, which is the last one of a protobuf timestamp. */
const latestMax = 253_402_300_799;

/**
 * CardFault is why a card is refused. When one is made: "text" for its title or note,
 * "terms" for the rest. When one is opened, after which nothing of it may be shown:
 * "altered", "version" for one of another version, "key" for another device's.
 */
export type CardFault = "text" | "terms" | "altered" | "version" | "key";

export class CardError extends Error {
  constructor(readonly fault: CardFault) {
    super(`card: ${fault}`);
  }
}

/** Card says what is asked for. */
export interface Card {
  /** One line. It is shown as quoted plain text, and never as a link. */
  title: string;
  /** Lines that end with a line feed; it may be empty. */
  note: string;
  /** What the requester accepts: one or both, each once. */
  kinds: readonly Kind[];
  /** When the request ends, in whole seconds since 1970. */
  latest: number;
  /** How many answers the requester accepts. */
  answers: number;
}

/** Asked is a card as it was made or opened. */
export interface Asked {
  card: Card;
  /** Its bytes. */
  raw: Bytes;
  /** The secret R of the request's link: their hash. */
  secret: Bytes;
  /** The key to which answers are sealed. */
  publicKey: Bytes;
}

/** ask makes the card of a request that the device with these keys collects. It throws CardError. */
export async function ask(keys: CollectKeys, card: Card): Promise<Asked> {
  check(card);
  const publicKey = await (await loadKem()).publicKey(keys.seed);
  const raw = joined([prefix, random(saltSize), publicKey, written(card)]);
  if (raw.length > cardMax) {
    throw new CardError("text");
  }
  return { card, raw, secret: await hash(raw), publicKey };
}

/** sealCard returns the message of a card, which opens with the secret of the request's link alone. */
export async function sealCard({ raw, secret }: Asked): Promise<Bytes> {
  const { card } = await linkKeys(secret);
  return await seal(card, context, pad(raw, padded(lengthSize + raw.length)));
}

/**
 * openCard opens the message of a card with the secret of the request's link, and
 * checks that the card is the one whose hash that is. It throws CardError.
 */
export async function openCard(secret: Bytes, message: Bytes): Promise<Asked> {
  const plain = await decrypted(secret, message);
  const raw = unpad(plain, cardMax);
  if (!raw || padded(lengthSize + raw.length) !== plain.length || !equal(await hash(raw), secret)) {
    throw new CardError("altered");
  }
  return { raw, secret, ...(await parse(raw)) };
}

async function decrypted(secret: Bytes, message: Bytes): Promise<Bytes> {
  if (message.length > sealedSize(padded(lengthSize + cardMax))) {
    throw new CardError("altered");
  }
  try {
    return await open((await linkKeys(secret)).card, context, message);
  } catch (error) {
    throw error instanceof ChunkedError ? new CardError("altered") : error;
  }
}

/** hash returns the secret of the request's link. */
async function hash(raw: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined([encoded("hush request v1\0"), raw])));
}

async function parse(raw: Bytes): Promise<Pick<Asked, "card" | "publicKey">> {
  if (!equal(raw.subarray(0, prefix.length), prefix)) {
    throw new CardError("version");
  }
  const kem = await loadKem();
  const publicKey = raw.slice(headSize - publicSize, headSize);
  try {
    // A key that is none is found only when something is sealed to it.
    await kem.encapsulate(publicKey);
    const message = raw.subarray(headSize);
    checkTypes(message, cardTypes, { 4: timeTypes });
    const card = read(fromBinary(RequestCardSchema, message));
    check(card);
    return { card, publicKey };
  } catch {
    throw new CardError("altered");
  }
}

/** Types are the wire types of fields, by number. */
type Types = Record<number, readonly WireType[]>;

const text = [WireType.LengthDelimited];
const number = [WireType.Varint];
const cardTypes: Types = { 1: text, 2: text, 3: [...number, ...text], 4: text, 5: number };
const timeTypes: Types = { 1: number, 2: number };

/**
 * checkTypes throws CardError for a known field with another wire type than its own, in
 * the message and in those of its fields that inner has. Some libraries ignore it then,
 * and this one reads it: one link would say different things.
 */
function checkTypes(message: Uint8Array, known: Types, inner: Record<number, Types>) {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (known[field]?.includes(type) === false) {
      throw new CardError("altered");
    }
    const within = inner[field];
    if (within) {
      checkTypes(reader.bytes(), within, {});
    } else {
      reader.skip(type, field);
    }
  }
}

function written({ title, note, kinds, latest, answers }: Card): Uint8Array {
  const message = create(RequestCardSchema, {
    title,
    note,
    kinds: kinds.map((kind) => (kind === "text" ? ContentHeader_Kind.TEXT : ContentHeader_Kind.FILE)),
    latestTime: create(TimestampSchema, { seconds: BigInt(latest) }),
    answers,
  });
  return toBinary(RequestCardSchema, message);
}

function read({ title, note, kinds, latestTime, answers }: RequestCard): Card {
  if (latestTime?.nanos !== 0) {
    throw new CardError("terms");
  }
  return { title, note, kinds: kinds.map(kindOf), latest: Number(latestTime.seconds), answers };
}

function kindOf(kind: ContentHeader_Kind): Kind {
  switch (kind) {
    case ContentHeader_Kind.TEXT:
      return "text";
    case ContentHeader_Kind.FILE:
      return "file";
    default:
      throw new CardError("terms");
  }
}

/** check throws CardError for a card that no device writes. */
function check({ title, note, kinds, latest, answers }: Card) {
  const lines = note.split("\n");
  if (
    title === "" ||
    !isClean(title, titleMax) ||
    [...note].length > noteMax ||
    !lines.every((line) => isClean(line, noteMax))
  ) {
    throw new CardError("text");
  }
  const some = kinds.length > 0 && new Set(kinds).size === kinds.length;
  if (!some || !within(latest, latestMax) || !within(answers, answersMax)) {
    throw new CardError("terms");
  }
}

function within(number: number, most: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= most;
}
