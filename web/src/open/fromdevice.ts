import { Encryption } from "../contract";
import type { Bytes } from "../endtoend/bytes";
import { ContentError, openContent } from "../endtoend/content";
import { derive, type Keys, PassphraseError } from "../endtoend/keys";
import type { Link } from "../endtoend/link";
import { stretching } from "../endtoend/stretching";
import type { RevealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { secrets } from "../rpc";
import { FaultError, MalformedError, type Source } from "./reveal";
import { type Content, leftOf, newClaim } from "./source";

/**
 * fromDevice opens a secret that the sender's device encrypted. Only its key, the
 * proofs and the claim leave this device.
 */
export function fromDevice({ key, secret }: Link): Source<Keys, RevealSecretResponse, Content> {
  const claim = newClaim();
  return {
    prepare: async (passphrase) => {
      try {
        return await derive(secret, passphrase, stretching());
      } catch (thrown) {
        throw thrown instanceof PassphraseError ? new MalformedError() : thrown;
      }
    },
    probe: (signal) => secrets.getSecret({ secretKey: key }, { signal }),
    ask: ({ linkProof, proof }, signal) =>
      secrets.revealSecret({ secretKey: key, linkProof, proof, claim }, { signal }),
    left: leftOf,
    read: async (keys, answer) => {
      if (answer.secret?.encryption !== Encryption.end_to_end || answer.value !== "") {
        throw new FaultError("kind");
      }
      return await read(keys, answer.content.slice());
    },
    acknowledge: (signal) => secrets.acknowledgeReveal({ secretKey: key, claim }, { signal }),
  };
}

async function read(keys: Keys, sealed: Bytes): Promise<Content> {
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
