/*
 * The service's RPCs. Each function answers the client of one service:
 *
 *   const { secret } = await (await secrets()).getSecret({ secretKey });
 *
 * Calls throw Refusal (refusal.ts) and nothing else; problem.ts has words for
 * it. The clients and what they stand on are a script of their own, so that the
 * first paint does not wait for them. Session cookie, token against forged
 * requests and language are sent by themselves.
 */
export const secrets = () => import("./wire/secrets").then((m) => m.default);
export const receipts = () => import("./wire/receipts").then((m) => m.default);
export const accounts = () => import("./wire/accounts").then((m) => m.default);
export const sessions = () => import("./wire/sessions").then((m) => m.default);
export const domains = () => import("./wire/domains").then((m) => m.default);
export const system = () => import("./wire/system").then((m) => m.default);
export const intake = () => import("./wire/intake").then((m) => m.default);
export const challenges = () => import("./wire/challenges").then((m) => m.default);
export const colonel = () => import("./wire/colonel").then((m) => m.default);
