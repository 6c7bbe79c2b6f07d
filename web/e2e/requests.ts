/* Runs in a page: what the page does with requests, with the browser's X-Wing and with the library's. */
import { type Bytes, equal, random } from "../src/endtoend/bytes";
import { openAnswer } from "../src/requests/answer";
import { type Card, openCard } from "../src/requests/card";
import { openCollection } from "../src/requests/collection";
import type { Kem } from "../src/requests/kem";
import { collectKeys } from "../src/requests/keys";
import { hasNative, native } from "../src/requests/native";

/** Sent are the bytes of a request and its answer, in base64. */
export interface Sent {
  c: string;
  r: string;
  message: string;
  linkBox: string;
  a: string;
  sealed: string;
}

const bytes = (base64: string): Bytes => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

/** read opens all of a request as the pages do. */
async function read({ c, r, message, linkBox, a, sealed }: Sent): Promise<{ card: Card; name: string; k: string }> {
  await openCard(bytes(r), bytes(message));
  const keys = await collectKeys(bytes(c));
  const asked = await openCollection(keys, bytes(linkBox), bytes(message));
  const { name, secret } = await openAnswer(keys, asked, bytes(a), bytes(sealed));
  return { card: asked.card, name, k: btoa(String.fromCharCode(...secret)) };
}

async function passes(from: Kem, to: Kem): Promise<boolean> {
  const seed = random(32);
  const publicKey = await to.publicKey(seed);
  const { shared, encapsulated } = await from.encapsulate(publicKey);
  return equal(publicKey, await from.publicKey(seed)) && equal(shared, await to.decapsulate(seed, encapsulated));
}

/** crossed reports for each pair whether one opens what the other sealed. */
async function crossed(): Promise<boolean[]> {
  const { library } = await import("../src/requests/library");
  const pairs: [Kem, Kem][] = [
    [native, library],
    [library, native],
    [native, native],
    [library, library],
  ];
  return await Promise.all(pairs.map(([from, to]) => passes(from, to)));
}

/** refused counts the keys to which neither seals. */
async function refused(): Promise<number[]> {
  const { library } = await import("../src/requests/library");
  const good = await native.publicKey(random(32));
  const low = good.slice().fill(0, 1184);
  low[1184] = 1;
  const keys = [
    good.slice().fill(0, 1184), // no point
    low, // a point of low order
    good.slice().fill(255, 0, 1184), // beyond the modulus
    good.slice(1),
    new Uint8Array(1217),
  ];
  const count = async (kem: Kem) => {
    const results = await Promise.allSettled(keys.map((key) => kem.encapsulate(key)));
    return results.filter(({ status }) => status === "rejected").length;
  };
  return [await count(native), await count(library), keys.length];
}

declare global {
  var hushRequests: {
    hasNative: typeof hasNative;
    read: typeof read;
    crossed: typeof crossed;
    refused: typeof refused;
  };
}

globalThis.hushRequests = { hasNative, read, crossed, refused };
