import { keyIn, unescaped } from "../link";

/** How many receipts one page shows: as many as one call may ask for. */
const most = 25;

/** keysIn returns the keys of receipts in an address, which may be mangled: several, if it is the address of a group. */
export function keysIn(text: string): string[] {
  const all = unescaped(text).match(/(?<![0-9A-Za-z])[0-9a-z]{31}(?![0-9A-Za-z])/g) ?? [];
  const distinct = [...new Set(all)].slice(0, most);
  return distinct.length > 1 ? distinct : [keyIn(text)].filter(Boolean);
}
