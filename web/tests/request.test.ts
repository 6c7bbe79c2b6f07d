import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Bytes, encoded, equal, joined, random } from "../src/endtoend/bytes";
import { seal } from "../src/endtoend/chunked";
import { padded } from "../src/endtoend/content";
import { newSecret } from "../src/endtoend/link";
import { pad } from "../src/endtoend/plain";
import { RequestCardSchema } from "../src/gen/hush/v1/card_pb";
import { ContentHeader_Kind } from "../src/gen/hush/v1/content_pb";
import { AnswerError, type AnswerFault, nameMax, newNumber, openAnswer, sealAnswer } from "../src/requests/answer";
import {
  type Asked,
  ask,
  type Card,
  CardError,
  type CardFault,
  type Kind,
  openCard,
  sealCard,
} from "../src/requests/card";
import { openCollection, sealLink } from "../src/requests/collection";
import { openWith, schedule, sealTo } from "../src/requests/hpke";
import { type CollectKeys, collectKeys, linkKeys } from "../src/requests/keys";
import { library } from "../src/requests/library";
import { loadKem } from "../src/requests/load";
import { hasNative } from "../src/requests/native";

const fromHex = (text: string): Bytes => Uint8Array.from(Buffer.from(text, "hex"));
const fromBase64 = (text: string): Bytes => Uint8Array.from(Buffer.from(text, "base64"));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

const headSize = 7 + 32 + 1216;
const lastTime = 253_402_300_799;

/** Vector is one of seal/request/testdata: a request and one of its answers. */
interface Vector {
  name: string;
  c: string;
  title: string;
  note: string;
  kinds: number[];
  latest: number;
  answers: number;
  seed: string;
  collectProof: string;
  card: string;
  r: string;
  linkProof: string;
  message: string;
  linkBox: string;
  a: string;
  k: string;
  fileName: string;
  sealed: string;
}

const read = (name: string): Vector[] => JSON.parse(readFileSync(`../seal/request/testdata/${name}.json`, "utf8"));

const kindsOf = (kinds: readonly number[]) => kinds.map((kind): Kind => (kind === 1 ? "text" : "file"));

function cardOf({ title, note, kinds, latest, answers }: Vector): Card {
  return { title, note, kinds: kindsOf(kinds), latest, answers };
}

test("vectors for the server's language are written anew on request", {
  skip: !process.env.UPDATE_VECTORS,
}, async () => {
  const vectors: Vector[] = [];
  for (const vector of read("go")) {
    const [c, k, a] = [newSecret(), newSecret(), newNumber()];
    const keys = await collectKeys(c);
    const asked = await ask(keys, cardOf(vector));
    vectors.push({
      ...vector,
      c: base64(c),
      seed: base64(keys.seed),
      collectProof: base64(keys.proof),
      card: base64(asked.raw),
      r: base64(asked.secret),
      linkProof: base64((await linkKeys(asked.secret)).proof),
      message: base64(await sealCard(asked)),
      linkBox: base64(await sealLink(keys, asked.secret)),
      a: base64(a),
      k: base64(k),
      sealed: base64(await sealAnswer(asked, a, { secret: k, name: vector.fileName })),
    });
  }
  writeFileSync("../seal/request/testdata/browser.json", `${JSON.stringify(vectors, null, 1)}\n`);
});

test("requests and answers from both implementations open", async () => {
  for (const file of ["go", "browser"]) {
    for (const vector of read(file)) {
      const name = `${file}: ${vector.name}`;
      const r = fromBase64(vector.r);
      const keys = await collectKeys(fromBase64(vector.c));
      assert.equal(base64(keys.seed), vector.seed, name);
      assert.equal(base64(keys.proof), vector.collectProof, name);
      assert.equal(base64((await linkKeys(r)).proof), vector.linkProof, name);
      const shown = await openCard(r, fromBase64(vector.message));
      assert.deepEqual(shown.card, cardOf(vector), name);
      const collected = await openCollection(keys, fromBase64(vector.linkBox), fromBase64(vector.message));
      assert.equal(base64(collected.raw), vector.card, name);
      const answer = await openAnswer(keys, collected, fromBase64(vector.a), fromBase64(vector.sealed));
      assert.deepEqual({ ...answer, secret: base64(answer.secret) }, { secret: vector.k, name: vector.fileName }, name);
    }
  }
});

const card: Card = {
  title: "Deploy key for staging",
  note: "The one of the build machine.\nRead only.",
  kinds: ["text", "file"],
  latest: 1_798_135_200,
  answers: 3,
};

const newKeys = () => collectKeys(newSecret());

/** Requested is what a requester's device made, and what its server has. */
interface Requested {
  keys: CollectKeys;
  asked: Asked;
  message: Bytes;
  box: Bytes;
}

async function requested(changes: Partial<Card> = {}): Promise<Requested> {
  const keys = await newKeys();
  const asked = await ask(keys, { ...card, ...changes });
  return { keys, asked, message: await sealCard(asked), box: await sealLink(keys, asked.secret) };
}

function refusesCard(opening: Promise<unknown>, fault: CardFault, name: string) {
  return assert.rejects(opening, (error) => error instanceof CardError && error.fault === fault, name);
}

function refusesAnswer(opening: Promise<unknown>, fault: AnswerFault, name: string) {
  return assert.rejects(opening, (error) => error instanceof AnswerError && error.fault === fault, name);
}

test("a request is asked, answered and collected", async () => {
  const { keys, asked, message, box } = await requested();
  const shown = await openCard(asked.secret, message);
  assert.deepEqual(shown, asked);
  const [number, answer] = [newNumber(), { secret: newSecret(), name: "id_ed25519" }];
  const sealed = await sealAnswer(shown, number, answer);
  assert.equal(sealed.length, 1648);
  const collected = await openCollection(keys, box, message);
  assert.deepEqual(collected.card, card);
  assert.deepEqual(await openAnswer(keys, collected, number, sealed), answer);
});

test("each request has another link, although its card says the same", async () => {
  const keys = await newKeys();
  assert.ok(!equal((await ask(keys, card)).secret, (await ask(keys, card)).secret));
});

test("cards that no device writes are not made", async () => {
  const keys = await newKeys();
  const wrong: readonly (readonly [CardFault, Partial<Card>])[] = [
    ["text", { title: "" }],
    ["text", { title: "é".repeat(201) }],
    ["text", { title: "a\nb" }],
    ["text", { title: "a\u202eb" }],
    ["text", { title: "\ud800" }],
    ["text", { note: "é".repeat(2001) }],
    ["text", { note: "\n".repeat(2001) }],
    ["text", { note: "a\r\nb" }],
    ["text", { note: "a\u001b[2Jb" }],
    ["text", { note: "a\u2028b" }],
    ["terms", { kinds: [] }],
    ["terms", { kinds: ["text", "text"] }],
    ["terms", { latest: 0 }],
    ["terms", { latest: Number.NaN }],
    ["terms", { latest: card.latest + 0.5 }],
    ["terms", { latest: lastTime + 1 }],
    ["terms", { answers: 0 }],
    ["terms", { answers: 1.5 }],
    ["terms", { answers: 101 }],
  ];
  for (const [fault, changes] of wrong) {
    await refusesCard(ask(keys, { ...card, ...changes }), fault, JSON.stringify(changes));
  }
});

test("the longest card of four bytes a character fits", async () => {
  const { keys, asked, message, box } = await requested({
    title: "🔑".repeat(200),
    note: "🔑".repeat(2000),
    answers: 100,
    latest: lastTime,
  });
  assert.deepEqual((await openCollection(keys, box, message)).card, asked.card);
});

/** sealRaw encrypts any bytes as a card, as a server that has the link could. */
async function sealRaw(secret: Bytes, raw: Bytes): Promise<Bytes> {
  return await sealPlain(secret, pad(raw, padded(4 + raw.length)));
}

async function sealPlain(secret: Bytes, plain: Bytes): Promise<Bytes> {
  return await seal((await linkKeys(secret)).card, encoded("hush.v1 request"), plain);
}

async function hashOf(raw: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", joined([encoded("hush request v1\0"), raw])));
}

// A server that puts its own key into the card makes another card, and the link names the first one.
test("a server's own key is refused, even if the server has the link", async () => {
  const { asked, message, box } = await requested();
  const thief = await requested();
  const raw = asked.raw.slice();
  raw.set(thief.asked.publicKey, headSize - 1216);
  await refusesCard(openCard(asked.secret, await sealRaw(asked.secret, raw)), "altered", "another key");
  await refusesCard(openCard(asked.secret, thief.message), "altered", "another request's card");
  await refusesCard(openCollection(thief.keys, box, message), "altered", "another device's box");
  const ownBox = await sealLink(thief.keys, asked.secret);
  await refusesCard(openCollection(thief.keys, ownBox, message), "key", "another device's card");
  const short = await seal(thief.keys.linkBox, encoded("hush.v1 request link"), asked.secret.slice(1));
  await refusesCard(openCollection(thief.keys, short, message), "altered", "a secret of 31 bytes");
});

function flipped(bytes: Bytes, at: number): Bytes {
  const spoiled = bytes.slice();
  spoiled[at] = (spoiled[at] ?? 0) ^ 1;
  return spoiled;
}

const cuts = (bytes: Bytes) => [
  new Uint8Array(),
  bytes.slice(0, 1),
  bytes.slice(0, -1),
  joined([bytes, Uint8Array.of(0)]),
  new Uint8Array(1 << 20).fill(1),
];

test("what a server stores is refused, wherever it is altered, cut off or added to", async () => {
  const { keys, asked, message, box } = await requested();
  const number = newNumber();
  const sealed = await sealAnswer(asked, number, { secret: newSecret(), name: "" });
  const openings: readonly (readonly [Bytes, (bytes: Bytes) => Promise<void>, step?: number])[] = [
    [message, (bytes) => refusesCard(openCard(asked.secret, bytes), "altered", "card")],
    [box, (bytes) => refusesCard(openCollection(keys, bytes, message), "altered", "link box")],
    [sealed, (bytes) => refusesAnswer(openAnswer(keys, asked, number, bytes), "altered", "sealed link"), 15],
  ];
  for (const [bytes, refuses, step = 1] of openings) {
    for (let at = 0; at < bytes.length; at += step) {
      await refuses(flipped(bytes, at));
    }
    for (const cut of cuts(bytes)) {
      await refuses(cut);
    }
  }
});

// An operator who moves a sealed link to another answer, or to another request of the same device, shows nothing.
test("sealed links open for their answer alone", async () => {
  const { keys, asked } = await requested();
  const other = await ask(keys, card);
  const number = newNumber();
  const sealed = await sealAnswer(asked, number, { secret: newSecret(), name: "" });
  await refusesAnswer(openAnswer(keys, asked, newNumber(), sealed), "altered", "another number");
  await refusesAnswer(openAnswer(keys, other, number, sealed), "altered", "another request");
  await refusesAnswer(openAnswer(await newKeys(), asked, number, sealed), "altered", "another device");
});

function messageOf(changes: MessageInitShape<typeof RequestCardSchema>): Uint8Array {
  return toBinary(
    RequestCardSchema,
    create(RequestCardSchema, {
      title: card.title,
      kinds: [ContentHeader_Kind.TEXT],
      latestTime: create(TimestampSchema, { seconds: BigInt(card.latest) }),
      answers: 1,
      ...changes,
    }),
  );
}

// What a requester who follows no document can encrypt, a device must still refuse.
test("cards of other versions, and those that no device writes, are refused", async () => {
  const { asked } = await requested();
  const changed = (at: number, value: number) => {
    const raw = asked.raw.slice();
    raw[at] = value;
    return raw;
  };
  const head = asked.raw.slice(0, headSize);
  const withKey = (begin: number, end = 1216) =>
    asked.raw.slice().fill(0, headSize - 1216 + begin, headSize - 1216 + end);
  const seconds = (time: bigint, nanos = 0) => ({ latestTime: create(TimestampSchema, { seconds: time, nanos }) });
  const saying = (changes: MessageInitShape<typeof RequestCardSchema>) => joined([head, messageOf(changes)]);
  const order = withKey(1184);
  order[headSize - 32] = 1;
  const cards: Record<string, readonly [CardFault, Bytes]> = {
    version: ["version", changed(0, 2)],
    "key encapsulation": ["version", changed(2, 0x7b)],
    "key derivation": ["version", changed(4, 3)],
    cipher: ["version", changed(6, 3)],
    "cut in the suite": ["version", asked.raw.slice(0, 6)],
    empty: ["version", new Uint8Array()],
    "cut in the key": ["altered", asked.raw.slice(0, 1000)],
    "key of zeros": ["altered", withKey(0)],
    "key beyond the modulus": ["altered", asked.raw.slice().fill(255, headSize - 1216, headSize - 32)],
    "half of X25519 zero": ["altered", withKey(1184)],
    "half of X25519 of low order": ["altered", order],
    "no message": ["altered", head],
    "damaged message": ["altered", joined([head, Uint8Array.of(255)])],
    "message cut off": ["altered", asked.raw.slice(0, -1)],
    "title that is not text": ["altered", joined([head, messageOf({ title: "" }), Uint8Array.of(10, 1, 255)])],
    "title as a number": ["altered", joined([asked.raw, Uint8Array.of(8, 1)])],
    "kinds as a fixed32": ["altered", joined([asked.raw, Uint8Array.of(0x1d, 1, 0, 0, 0)])],
    "answers as text": ["altered", joined([asked.raw, Uint8Array.of(0x2a, 1, 49)])],
    "seconds as text": ["altered", joined([asked.raw, Uint8Array.of(0x22, 3, 10, 1, 49)])],
    "nanoseconds as text": ["altered", joined([asked.raw, Uint8Array.of(0x22, 3, 18, 1, 49)])],
    "no title": ["altered", saying({ title: "" })],
    "long title": ["altered", saying({ title: "é".repeat(201) })],
    "title of two lines": ["altered", saying({ title: "Deploy\nkey" })],
    "long note": ["altered", saying({ note: "é".repeat(2001) })],
    "terminal's note": ["altered", saying({ note: "a\u001b[2Jb" })],
    "no kinds": ["altered", saying({ kinds: [] })],
    "a kind twice": ["altered", saying({ kinds: [1, 1] })],
    "another kind": ["altered", saying({ kinds: [3 as ContentHeader_Kind] })],
    "no kind in particular": ["altered", saying({ kinds: [0] })],
    "no time": ["altered", saying({ latestTime: undefined })],
    "time before all": ["altered", saying(seconds(0n))],
    "year 10000": ["altered", saying(seconds(BigInt(lastTime) + 1n))],
    "time beyond numbers": ["altered", saying(seconds(1n << 62n))],
    "parts of a second": ["altered", saying(seconds(1n, 1))],
    "no answers": ["altered", saying({ answers: 0 })],
    "too many answers": ["altered", saying({ answers: 101 })],
    "beyond 12 KiB": ["altered", joined([saying({}), Uint8Array.of(0x32, 0xff, 0x5f), new Uint8Array(12_287)])],
  };
  for (const [name, [fault, raw]] of Object.entries(cards)) {
    const secret = await hashOf(raw);
    await refusesCard(openCard(secret, await sealRaw(secret, raw)), fault, name);
  }
});

test("fields that this version does not know are ignored, and are part of the hash", async () => {
  const { asked } = await requested();
  const raw = joined([asked.raw, Uint8Array.of(0x30, 1, 0x22, 3, 0x1a, 1, 49)]);
  const secret = await hashOf(raw);
  const later = await openCard(secret, await sealRaw(secret, raw));
  assert.deepEqual(later.card, card);
  assert.deepEqual(later.raw, raw);
  assert.notDeepEqual(later.secret, asked.secret);
});

test("zeros are all that may follow a card, and as many as the format says", async () => {
  const { asked } = await requested();
  const plain = pad(asked.raw, padded(4 + asked.raw.length));
  const wrong: Record<string, Bytes> = {
    "no zero at the end": joined([plain.slice(0, -1), Uint8Array.of(1)]),
    "one zero more": joined([plain, Uint8Array.of(0)]),
    "one zero less": plain.slice(0, -1),
    "no zeros": plain.slice(0, 4 + asked.raw.length),
    "length beyond": joined([Uint8Array.of(0, 0, 255, 255), plain.slice(4)]),
    "length of all": joined([Uint8Array.of(255, 255, 255, 255), plain.slice(4)]),
    "three bytes": plain.slice(0, 3),
  };
  for (const [name, altered] of Object.entries(wrong)) {
    await refusesCard(openCard(asked.secret, await sealPlain(asked.secret, altered)), "altered", name);
  }
});

test("names of answers are safe to show, and shortened by whole characters", async () => {
  const { keys, asked } = await requested();
  const [number, secret] = [newNumber(), newSecret()];
  for (const [name, want] of [
    ["", ""],
    [".env", ".env"],
    ["\ufeffa", "\ufeffa"],
    ["🔑".repeat(255), "🔑".repeat(nameMax / 4)],
    [`a${"é".repeat(254)}`, `a${"é".repeat(237)}`],
  ] as const) {
    const sealed = await sealAnswer(asked, number, { secret, name });
    assert.deepEqual(await openAnswer(keys, asked, number, sealed), { secret, name: want });
  }
  for (const name of ["a".repeat(256), "a/b", "a\\b", ".", "..", "a\u202eb", "a\nb", "\ud800"]) {
    await refusesAnswer(sealAnswer(asked, number, { secret, name }), "name", name);
  }
});

// Anyone who has the link can seal these.
test("what opens with the key and is no answer is refused", async () => {
  const { keys, asked } = await requested();
  const number = newNumber();
  const info = joined([encoded("hush answer v1\0"), asked.secret, number]);
  const named = (name: Bytes) => pad(joined([newSecret(), name]), 512);
  const spoiled = named(encoded("a"));
  spoiled[511] = 1;
  const plains: Record<string, Bytes> = {
    "a folder's name": named(encoded("a/b")),
    "a name that turns": named(encoded("a\u202eb")),
    "a name that is not text": named(Uint8Array.of(255)),
    "a name of 256 characters": named(encoded("a".repeat(256))),
    "another byte than zero": spoiled,
    "a short secret": pad(random(31), 512),
    "length beyond": joined([Uint8Array.of(0, 0, 2, 0), new Uint8Array(508)]),
    "length of all": joined([Uint8Array.of(255, 255, 255, 255), new Uint8Array(508)]),
    "511 bytes": named(encoded("a")).slice(0, 511),
    "513 bytes": pad(random(32), 513),
  };
  const kem = await loadKem();
  for (const [name, plain] of Object.entries(plains)) {
    const sealed = await sealTo(kem, asked.publicKey, info, plain);
    await refusesAnswer(openAnswer(keys, asked, number, sealed), "altered", name);
  }
  const good = await sealTo(kem, asked.publicKey, info, named(encoded("a")));
  assert.equal((await openAnswer(keys, asked, number, good)).name, "a");
});

// RFC 9180, A.1.1, which has another KEM and AES-128; and draft-ietf-hpke-pq for X-Wing with another cipher.
test("the key schedule and X-Wing are those of the published vectors", async () => {
  const rfc = await schedule(
    fromHex("002000010001"),
    16,
    fromHex("fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc"),
    fromHex("4f6465206f6e2061204772656369616e2055726e"),
  );
  assert.deepEqual(rfc, {
    key: fromHex("4531685d41d65f03dc48f6b8302c05b0"),
    nonce: fromHex("56d890e5accaaf011cff4b7d"),
  });
  const vector = JSON.parse(readFileSync("../seal/request/testdata/xwing.json", "utf8"));
  const seed = fromHex(vector.skRm);
  assert.deepEqual(await library.publicKey(seed), fromHex(vector.pkRm));
  const shared = await library.decapsulate(seed, fromHex(vector.enc));
  assert.deepEqual(shared, fromHex(vector.shared_secret));
  // Its suite begins with "HPKE".
  assert.deepEqual(await schedule(fromHex(vector.suite_id).subarray(4), 32, shared, fromHex(vector.info)), {
    key: fromHex(vector.key),
    nonce: fromHex(vector.base_nonce),
  });
});

test("HPKE opens with its key and info alone", async () => {
  const [seed, info, text] = [random(32), encoded("info"), encoded("value")];
  const sealed = await sealTo(library, await library.publicKey(seed), info, text);
  assert.equal(sealed.length, 1120 + text.length + 16);
  assert.deepEqual(await openWith(library, seed, info, sealed), text);
  await assert.rejects(openWith(library, seed, encoded("other"), sealed));
  await assert.rejects(openWith(library, random(32), info, sealed));
  await assert.rejects(openWith(library, seed, info, sealed.slice(0, 1119)));
});

test("the library is taken where the runtime has no X-Wing", async () => {
  assert.equal((await loadKem()) === library, !hasNative());
});
