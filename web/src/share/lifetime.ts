import { account, policy } from "../session";

/** The units of a lifetime that the visitor writes, in seconds. */
export const units = { minute: 60, hour: 3600, day: 86400 } as const;
export type Unit = keyof typeof units;

/** Custom is a lifetime that the visitor writes instead of choosing one. */
export interface Custom {
  count: string;
  unit: Unit;
}

/** ceiling returns the longest lifetime that the visitor may ask for. */
export function ceiling(): number {
  return Number(account.value?.ttlCeiling || policy.value?.anonymousTtl || 7 * 86400);
}

/** secondsIn returns the seconds of a custom lifetime, or NaN for what is no whole number above zero. */
export function secondsIn({ count, unit }: Custom): number {
  return wholeIn(count) * units[unit];
}

/** wholeIn returns the number that was written, or NaN for what is no whole number above zero. */
export function wholeIn(written: string): number {
  // Arabic and Persian keyboards have digits of their own, which end as those of ASCII do.
  const text = written
    .normalize("NFKC")
    .trim()
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15));
  return /^0*[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
}
