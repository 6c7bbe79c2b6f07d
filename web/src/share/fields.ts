import { account, policy } from "../session";
import type { Draft, Problem } from "./draft";
import type { Kind } from "./kind";

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
