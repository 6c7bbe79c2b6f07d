import { isBroken } from "../format";

/**
 * isWhole reports whether each text of a request can be encoded. The service's
 * parser would refuse the others, in words that are not for visitors.
 */
export function isWhole(request: unknown): boolean {
  if (typeof request === "string") {
    return !isBroken(request);
  }
  return ArrayBuffer.isView(request) || Object.values(request ?? {}).every(isWhole);
}
