import { Requests } from "../contract";
import { account, policy } from "../session";
import type { Draft, Problem } from "./draft";
import { canEncrypt, type Kind } from "./kind";

/** OptionsProps is what the fields of the form beside the secret get. */
export interface OptionsProps {
  draft: Draft;
  kind: Kind;
  problem: Problem;
  change: (part: Partial<Draft>) => void;
  onKind: (kind: Kind) => void;
}

/** mails reports whether the server would mail a link for this visitor. */
export function mails(): boolean {
  return Boolean(account.value && policy.value?.mail);
}

/**
 * mayAsk reports whether the visitor may ask for secrets with this browser, or could once
 * signed in. Until the policy is known, it forbids nothing.
 */
export function mayAsk(): boolean {
  const { requests, signIn } = policy.value ?? {};
  return (
    canEncrypt() && (requests === Requests.accounts ? Boolean(account.value || signIn) : requests !== Requests.off)
  );
}
