import { Encryption } from "../contract";
import { policy } from "../session";

/** Kind is a name of hush.v1.Encryption. */
export type Kind = keyof typeof Encryption;

/** canEncrypt reports whether the browser lets this page encrypt: it does so over HTTPS only. */
export function canEncrypt(): boolean {
  return Boolean(globalThis.crypto?.subtle);
}

/** kinds returns the kinds that can be shared here, the better one first. Until the policy is known, it forbids none. */
export function kinds(): Kind[] {
  const allowed: number[] = policy.value?.encryptions ?? [];
  const all: Kind[] = canEncrypt() ? ["end_to_end", "server"] : ["server"];
  return all.filter((kind) => allowed.length === 0 || allowed.includes(Encryption[kind]));
}

/** kindOf returns the kind that a form shows and sends: the chosen one, if it is possible. */
export function kindOf(chosen: Kind | undefined): Kind | undefined {
  const possible = kinds();
  return possible.find((kind) => kind === chosen) ?? possible[0];
}
