import { needed } from "../../call";
import { pick } from "./random";

export interface WordChoice {
  count: number;
  separator: "-" | " " | ".";
  capitals: boolean;
}

export const fewest = 3;
export const most = 12;

/** How many words stand against a thief who can try as many as he likes: seventy bits. */
export const usual = 7;

/** Each word is one of 1,024: ten bits. */
export const bitsPerWord = 10;

/** words returns a random passphrase. It loads the word list when it is first called, and throws a Refusal if that fails. */
export async function words({ count, separator, capitals }: WordChoice): Promise<string> {
  const { wordlist } = await needed(() => import("./wordlist"));
  return Array.from({ length: count }, () => {
    const word = pick(wordlist);
    return capitals ? word[0]!.toUpperCase() + word.slice(1) : word;
  }).join(separator);
}
