/* The link box, by which a device that has the collect link alone gets the request's. */
import { type Bytes, encoded, equal } from "../endtoend/bytes";
import { ChunkedError, open, seal } from "../endtoend/chunked";
import { type Asked, CardError, openCard } from "./card";
import type { CollectKeys } from "./keys";
import { loadKem } from "./load";

const context = encoded("hush.v1 request link");
const secretSize = 32;

/** sealLink encrypts the secret of the request's link for the devices that collect. */
export function sealLink(keys: CollectKeys, secret: Bytes): Promise<Bytes> {
  return seal(keys.linkBox, context, secret);
}

/**
 * openCollection opens the link box and the message of the card, and checks that the
 * card has this device's key. It throws CardError.
 */
export async function openCollection(keys: CollectKeys, linkBox: Bytes, message: Bytes): Promise<Asked> {
  const asked = await openCard(await opened(keys, linkBox), message);
  const kem = await loadKem();
  if (!equal(await kem.publicKey(keys.seed), asked.publicKey)) {
    throw new CardError("key");
  }
  return asked;
}

async function opened(keys: CollectKeys, linkBox: Bytes): Promise<Bytes> {
  try {
    const secret = await open(keys.linkBox, context, linkBox);
    if (secret.length === secretSize) {
      return secret;
    }
  } catch (error) {
    if (!(error instanceof ChunkedError)) {
      throw error;
    }
  }
  throw new CardError("altered");
}
