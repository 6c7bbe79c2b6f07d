import { Encryption } from "../contract";
import { policy } from "../session";

/** Kind is a name of hush.v1.Encryption. */
export type Kind = keyof typeof Encryption;

/** canEncrypt reports whether the browser lets this page encrypt: it does so over HTTPS only. */
export function canEncrypt(): boolean {
  return Boolean(globalThis.crypto?.subtle);
}

/** kinds returns the kinds that can be shared here, the better one first. */
export function kinds(): Kind[] {
  const all: Kind[] = canEncrypt() ? ["end_to_end", "server"] : ["server"];
  return all.filter(allows);
}

/** allows reports whether the operator's policy allows a kind. Until it is known, it forbids none. */
export function allows(kind: Kind): boolean {
  const allowed: number[] = policy.value?.encryptions ?? [];
  return allowed.length === 0 || allowed.includes(Encryption[kind]);
}

/** kindOf returns the kind that a form shows and sends: the chosen one, if it is possible. */
export function kindOf(chosen: Kind | undefined): Kind | undefined {
  const possible = kinds();
  return possible.find((kind) => kind === chosen) ?? possible[0];
}
