import { Encryption } from "../contract";
import type { Bytes } from "../endtoend/bytes";
import { flowing } from "../flow";
import type { RevealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { secrets } from "../rpc";
import { FaultError } from "./fault";
import type { Source } from "./reveal";

/** Content is what a secret holds: a text, or a file. */
export type Content = { kind: "text"; text: string } | { kind: "file"; name: string; body: Bytes };

/** newClaim draws a claim: it binds a secret to the page that holds it. It stays in memory. */
export function newClaim(): Bytes {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** leftOf returns for how many milliseconds an answer says that its claim lasts. */
export function leftOf({ claimLeft }: RevealSecretResponse): number | undefined {
  return claimLeft && Number(claimLeft.seconds) * 1000 + Math.floor(claimLeft.nanos / 1e6);
}

/** keep tells the server that the page still wants what is bound to its claim. It returns for how long it is. */
export async function keep(of: { secretKey: string; claim: Bytes }, signal: AbortSignal): Promise<number | undefined> {
  return leftOf(await secrets.revealSecret({ ...of, keepClaim: true }, { signal }));
}

/** fromServer opens a secret that the server encrypted. */
export function fromServer(secretKey: string): Source<string, RevealSecretResponse, Content> {
  const claim = newClaim();
  return {
    prepare: async (passphrase) => passphrase,
    probe: (signal) => secrets.getSecret({ secretKey }, { signal }),
    ask: (passphrase, signal, received) =>
      secrets.revealSecret({ secretKey, passphrase, claim }, { signal, headers: flowing({ received }) }),
    keep: (signal) => keep({ secretKey, claim }, signal),
    left: leftOf,
    read: async (_, { secret, value, content }) => {
      if (secret?.encryption === Encryption.end_to_end || content.length > 0) {
        throw new FaultError("kind");
      }
      return { kind: "text", text: value };
    },
    acknowledge: (signal) => secrets.acknowledgeReveal({ secretKey, claim }, { signal }),
  };
}
