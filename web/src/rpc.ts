/*
 * The service's RPCs, one object for each of its services:
 *
 *   const { secret } = await secrets.getSecret({ secretKey });
 *
 * A call throws Refusal (refusal.ts) and nothing else; problem.ts has the text
 * for it. The clients are scripts of their own that the first call loads, so
 * that the first paint does not wait for them. They send the session cookie,
 * the token against forged requests and the language.
 */
import { onFirstCall } from "./call";

export const secrets = onFirstCall(() => import("./wire/first").then((m) => m.secrets));
export const receipts = onFirstCall(() => import("./wire/receipts").then((m) => m.default));
export const accounts = onFirstCall(() => import("./wire/accounts").then((m) => m.default));
export const sessions = onFirstCall(() => import("./wire/sessions").then((m) => m.default));
export const domains = onFirstCall(() => import("./wire/domains").then((m) => m.default));
export const system = onFirstCall(() => import("./wire/first").then((m) => m.system));
export const intake = onFirstCall(() => import("./wire/intake").then((m) => m.default));
export const challenges = onFirstCall(() => import("./wire/challenges").then((m) => m.default));
export const colonel = onFirstCall(() => import("./wire/colonel").then((m) => m.default));
