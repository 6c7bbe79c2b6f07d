/*
 * The session's token against forged requests. It is kept in memory alone.
 */
let known: Promise<string> | undefined;

/** shrimp answers the token, and waits for it while the page starts. */
export async function shrimp(): Promise<string> {
  return (await known) ?? "";
}

/** keepShrimp sets the token; a promise makes the calls wait for it. */
export function keepShrimp(token: string | Promise<string>): void {
  known = Promise.resolve(token).catch(() => "");
}
