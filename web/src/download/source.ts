/* Where a file comes from: the service. Only the key, the proofs and the claim leave this device. */
import type { Bytes } from "../endtoend/bytes";
import { derive, type Keys, linkProof, PassphraseError } from "../endtoend/keys";
import type { Link } from "../endtoend/link";
import { openPreview, type Preview } from "../endtoend/preview";
import { stretching } from "../endtoend/stretching";
import { flowing } from "../flow";
import type { File } from "../gen/hush/v1/file_pb";
import type { RevealSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { MalformedError } from "../open/fault";
import { leftOf } from "../open/source";
import { asRefusal } from "../refusal";
import { secrets } from "../rpc";
import files from "../wire/files";

/** View is what the service says of a file, with its preview. */
export interface View {
  /** The length of all parts together. */
  size: number;
  partSize: number;
  parts: number;
  arrived: number;
  complete: boolean;
  preview?: Preview | undefined;
  /** Whether the preview is not what the sender wrote. Nothing of it is shown. */
  spoiled?: boolean;
}

/** Source is where a file comes from. Its calls throw Refusal. */
export interface Source {
  /** Returns undefined if there is no such file. */
  look: (signal: AbortSignal) => Promise<View | undefined>;
  /** Derives the keys, and sends nothing. It throws MalformedError. */
  keys: (passphrase: string, signal: AbortSignal) => Promise<Keys>;
  /** Binds the file to the claim. It returns how many milliseconds that lasts. */
  reveal: (keys: Keys, claim: Bytes, signal: AbortSignal) => Promise<{ view: View; left: number | undefined }>;
  keep: (claim: Bytes, signal: AbortSignal) => Promise<number | undefined>;
  part: (claim: Bytes, number: number, signal: AbortSignal, arrived: (bytes: number) => void) => Promise<Bytes>;
  acknowledge: (claim: Bytes) => Promise<unknown>;
}

/** What the calling program can open: files, too. */
const acceptsVersion = 2;

/** sourceOf returns the source of the file that a link leads to. */
export function sourceOf({ key, secret }: Link): Source {
  return {
    look: async (signal) => {
      try {
        const { file, preview } = await secrets.getSecret(
          { secretKey: key, linkProof: await linkProof(secret) },
          { signal },
        );
        return file && { ...viewOf(file), ...(await previewOf(secret, preview)) };
      } catch (thrown) {
        if (asRefusal(thrown).code === "not_found") {
          return undefined;
        }
        throw thrown;
      }
    },
    keys: async (passphrase, signal) => {
      try {
        return await derive(secret, passphrase, stretching(signal));
      } catch (thrown) {
        throw thrown instanceof PassphraseError ? new MalformedError() : thrown;
      }
    },
    reveal: async ({ linkProof, proof }, claim, signal) => {
      const answer = await secrets.revealSecret(
        { secretKey: key, linkProof, proof, claim, acceptsVersion },
        { signal },
      );
      return { view: viewOf(fileIn(answer)), left: leftOf(answer) };
    },
    keep: async (claim, signal) =>
      leftOf(await secrets.revealSecret({ secretKey: key, claim, keepClaim: true }, { signal })),
    part: async (claim, number, signal, arrived) => {
      const { content } = await files.getPart(
        { secretKey: key, claim, number },
        { signal, headers: flowing({ received: arrived }) },
      );
      return content as Bytes;
    },
    acknowledge: (claim) => secrets.acknowledgeReveal({ secretKey: key, claim }),
  };
}

/** fileIn returns the file of an answer. A server that answers otherwise is asked again. */
function fileIn({ file }: RevealSecretResponse): File {
  if (!file) {
    throw asRefusal(undefined);
  }
  return file;
}

/** viewOf reads what the service says of a file. */
export function viewOf({ size, partSize, parts, arrived, complete }: File): View {
  return { size: Number(size), partSize, parts, arrived, complete };
}

/** previewOf opens a preview. One that is not the sender's is not shown. */
export async function previewOf(secret: Bytes, sealed: Uint8Array): Promise<Pick<View, "preview" | "spoiled">> {
  if (sealed.length === 0) {
    return {};
  }
  try {
    return { preview: await openPreview(secret, sealed.slice()) };
  } catch {
    return { spoiled: true };
  }
}
