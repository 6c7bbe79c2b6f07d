/* The keys that devices derive from the secrets of a request's two links, as seal/request does. */
import type { Bytes } from "../endtoend/bytes";
import { expand, extract } from "../endtoend/hkdf";

/** LinkKeys are those of everyone who may answer. */
export interface LinkKeys {
  /** Encrypts the card. */
  card: Bytes;
  /** Shows to a server that this device has the request's link. */
  proof: Bytes;
}

/** linkKeys derives the keys from the secret R of a request's link. */
export async function linkKeys(secret: Bytes): Promise<LinkKeys> {
  const base = await extract("hush request v1", secret);
  return { card: await expand(base, "card", 32), proof: await expand(base, "link proof", 32) };
}

/** CollectKeys are those of the requester's devices alone. */
export interface CollectKeys {
  /** The private key of X-Wing itself, and not what HPKE's DeriveKeyPair takes. */
  seed: Bytes;
  /** Shows to a server that this device has the collect link. */
  proof: Bytes;
  /** Encrypts the secret of the request's link. */
  linkBox: Bytes;
}

/** collectKeys derives the keys from the secret C of a collect link. */
export async function collectKeys(secret: Bytes): Promise<CollectKeys> {
  const base = await extract("hush collect v1", secret);
  return {
    seed: await expand(base, "key pair", 32),
    proof: await expand(base, "collect proof", 32),
    linkBox: await expand(base, "request link", 32),
  };
}
