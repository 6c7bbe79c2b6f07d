/*
 * The session's token against forged requests. It is kept in memory only.
 */
let known: Promise<string> | undefined;

/** shrimp returns the token, and waits for it while the page starts. */
export async function shrimp(): Promise<string> {
  return (await known) ?? "";
}

/** keepShrimp sets the token. Calls wait if it is a promise. */
export function keepShrimp(token: string | Promise<string>): void {
  known = Promise.resolve(token).catch(() => "");
}
