/*
 * The service's RPCs, one object for each of its services:
 *
 *   const { secret } = await secrets.getSecret({ secretKey });
 *
 * A call throws only Refusal (refusal.ts); problem.ts has the text for it. The
 * first call loads the client's script, so that the first paint does not wait for
 * it. Calls send the session cookie, the token against forged requests and the
 * language.
 */
import { onFirstCall } from "./call";

export const secrets = onFirstCall(() => import("./wire/first").then((m) => m.secrets));
export const receipts = onFirstCall(() => import("./wire/receipts").then((m) => m.default));
export const accounts = onFirstCall(() => import("./wire/accounts").then((m) => m.default));
export const sessions = onFirstCall(() => import("./wire/sessions").then((m) => m.default));
export const domains = onFirstCall(() => import("./wire/domains").then((m) => m.default));
export const system = onFirstCall(() => import("./wire/first").then((m) => m.system));
export const intake = onFirstCall(() => import("./wire/intake").then((m) => m.default));
export const requests = onFirstCall(() => import("./wire/requests").then((m) => m.default));
export const challenges = onFirstCall(() => import("./wire/challenges").then((m) => m.default));
export const colonel = onFirstCall(() => import("./wire/colonel").then((m) => m.default));
