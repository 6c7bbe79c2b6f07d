/* Whether a link leads to a file. It is asked after the page has said what it knows of the secret. */
import type { Link } from "../endtoend/link";
import type { GetSecretResponse } from "../gen/hush/v1/secret_service_pb";
import { secrets } from "../rpc";

/** Found is what the service says of a file to those who have its link. */
export type Found = Required<Pick<GetSecretResponse, "file">> & Pick<GetSecretResponse, "preview">;

/**
 * lookForFile returns what a link leads to if that is a file, and undefined if not. It sends
 * the proof of the link, so it is for secrets of which the service has said that devices
 * encrypt them. It throws Refusal.
 */
export async function lookForFile({ key, secret }: Link): Promise<Found | undefined> {
  const { linkProof } = await import("../endtoend/keys");
  const { file, preview } = await secrets.getSecret({ secretKey: key, linkProof: await linkProof(secret) });
  return file && { file, preview };
}

/** How long a press waits to hear what a link leads to, in milliseconds. The server opens no file as if it were none. */
const patience = 4_000;

/** isFile reports whether a look has found a file. It does not wait for long. */
export async function isFile(looking: Promise<Found | undefined>): Promise<boolean> {
  const tired = new Promise<undefined>((resolve) => setTimeout(resolve, patience));
  return (await Promise.race([looking, tired])) !== undefined;
}

/** hasRecords reports whether this tab has opened a file that is not acknowledged yet; see download/record.ts. */
export function hasRecords(): boolean {
  try {
    return Object.keys(sessionStorage).some((name) => name.startsWith("hush.file."));
  } catch {
    return false;
  }
}
