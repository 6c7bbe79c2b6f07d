import { needed } from "../call";
import { Encryption } from "../contract";
import type { Bytes } from "../endtoend/bytes";
import type { Keys } from "../endtoend/keys";
import type { Link } from "../endtoend/link";
import { flowing } from "../flow";
import type { RevealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { savesData } from "../line";
import { prefetch } from "../prefetch";
import { Refusal } from "../refusal";
import { secrets } from "../rpc";
import { FaultError } from "./fault";
import type { Source } from "./reveal";
import { type Content, keep, leftOf, newClaim } from "./source";

const load = () => import("./device");

interface Sealed extends Link {
  /** The collect link's proof, without which no answer to a request opens; absent for other secrets. */
  collectProof?: Bytes;
  /** The claim to open it with; a new one that only this page has, unless it is given. */
  claim?: Bytes;
  /** Says whether the link leads to a file, which is opened in another way; absent where there are none. */
  isFile?: Promise<boolean>;
}

/**
 * fromDevice opens a secret that the sender's device encrypted, or an answer to a request. Only its key, the
 * proofs and the claim leave this device. What decrypts is loaded while the page
 * waits for the press.
 */
export function fromDevice({
  key,
  secret,
  collectProof = new Uint8Array(),
  claim = newClaim(),
  isFile,
}: Sealed): Source<Keys, RevealSecretResponse, Content> {
  if (!savesData()) {
    void prefetch([load]); // If it is missing, the press loads it again.
  }
  return {
    prepare: async (passphrase, signal) => {
      if (await isFile) {
        throw new Refusal("", { code: "failed_precondition", reason: "version", unsent: true });
      }
      const device = await needed(load);
      return await device.keysOf(secret, passphrase, signal);
    },
    probe: (signal) => secrets.getSecret({ secretKey: key }, { signal }),
    ask: ({ linkProof, proof }, signal, received) =>
      secrets.revealSecret(
        { secretKey: key, linkProof, proof, collectProof, claim },
        { signal, headers: flowing({ received }) },
      ),
    keep: (signal) => keep({ secretKey: key, claim }, signal),
    left: leftOf,
    read: async (keys, answer) => {
      if (answer.secret?.encryption !== Encryption.end_to_end || answer.value !== "") {
        throw new FaultError("kind");
      }
      const device = await load();
      return await device.read(keys, answer.content.slice());
    },
    acknowledge: (signal) => secrets.acknowledgeReveal({ secretKey: key, claim }, { signal }),
  };
}
