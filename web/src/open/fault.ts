/**
 * Fault is why an answer is not shown: another kind of secret than the link's, content
 * that was altered, or authentic content of a form that the page does not show.
 */
export type Fault = "kind" | "altered" | "form";

/** FaultError says that an answer does not pass its checks. Nothing of it is shown. */
export class FaultError extends Error {
  constructor(readonly fault: Fault) {
    super(`answer: ${fault}`);
  }
}

/** MalformedError says that a passphrase is not text that a key can be derived from. */
export class MalformedError extends Error {}
