/* What opens an end-to-end encrypted secret. It needs more scripts than the page that asks for the press. */
import type { Bytes } from "../endtoend/bytes";
import { ContentError, openContent } from "../endtoend/content";
import { derive, type Keys, PassphraseError } from "../endtoend/keys";
import { stretching } from "../endtoend/stretching";
import { FaultError, MalformedError } from "./fault";
import type { Content } from "./source";

/** keysOf derives the keys of a link and a passphrase. It throws MalformedError, or a Refusal if this device cannot. */
export async function keysOf(secret: Bytes, passphrase: string, signal?: AbortSignal): Promise<Keys> {
  try {
    return await derive(secret, passphrase, stretching(signal));
  } catch (thrown) {
    throw thrown instanceof PassphraseError ? new MalformedError() : thrown;
  }
}

/** read decrypts a content. It throws FaultError. */
export async function read(keys: Keys, sealed: Bytes): Promise<Content> {
  try {
    const { kind, fileName, body } = await openContent(keys, sealed);
    return kind === "file" ? { kind, name: fileName, body } : { kind, text: decoded(body) };
  } catch (thrown) {
    if (thrown instanceof ContentError && thrown.fault === "altered") {
      throw new FaultError("altered");
    }
    // It is authentic: the sender's program made it so.
    throw thrown instanceof ContentError || thrown instanceof TypeError ? new FaultError("form") : thrown;
  }
}

/** decoded returns text that is valid UTF-8, with every character of it. It throws TypeError. */
function decoded(body: Bytes): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
}
