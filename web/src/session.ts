import { computed, signal } from "@preact/signals";
import type { Account } from "./gen/hush/v1/account_pb";
import type { GetPolicyResponse } from "./gen/hush/v1/system_service_pb";
import { followAccountLocale } from "./i18n";
import { asRefusal } from "./refusal";
import { accounts, sessions, system } from "./rpc";
import { keepShrimp, shrimp } from "./shrimp";

/** The operator's policy; undefined until it is loaded. */
export const policy = signal<GetPolicyResponse | undefined>(undefined);

/** The account that is signed in: null for none, undefined until that is known. */
export const account = signal<Account | null | undefined>(undefined);

/** The name of the instance. */
export const instanceName = computed(() => policy.value?.instanceName || sent().name || "Hush");

/** The path of the instance's logo, or an empty string for none. */
export const logo = computed(() => (policy.value ? policy.value.logoUrl : sent().logo));

/** sent returns the name and the logo that the service sent within the page, before the policy is there. */
function sent(): { name: string; logo: string } {
  const brand = globalThis.document?.querySelector("#start .brand, .header .brand");
  return {
    name: brand?.textContent ?? "",
    logo: brand?.querySelector("img")?.getAttribute("src") ?? "",
  };
}

/** startSession loads what every page needs. It never fails; pages work without it. */
export async function startSession(): Promise<void> {
  keepShrimp(loadPolicy().then(sessionShrimp));
  await loadAccount();
}

async function loadPolicy(): Promise<void> {
  try {
    policy.value = await system.getPolicy({});
  } catch {
    // Pages work without it: the service refuses what it does not allow.
  }
}

/**
 * sessionShrimp returns the token of the visitor's session, and an empty string if
 * there is none. It is part of the policy; without the policy, it is asked for.
 */
async function sessionShrimp(): Promise<string> {
  return policy.value?.shrimp ?? (await system.validateShrimp({})).shrimp;
}

/** loadAccount loads the account that is signed in. A visitor without a token has none. */
export async function loadAccount(): Promise<void> {
  try {
    setAccount((await shrimp()) ? ((await accounts.getAccount({})).account ?? null) : null);
  } catch {
    setAccount(null);
  }
}

/** signIn starts a session, or throws Refusal. */
export async function signIn(address: string, password: string, remember: boolean): Promise<void> {
  const answer = await sessions.createSession({ address, password, remember });
  keepShrimp(answer.shrimp);
  setAccount(answer.account ?? null);
}

/**
 * signOut ends the session and forgets the account. It throws if the session may
 * still be there: this browser then stays signed in.
 */
export async function signOut(): Promise<void> {
  try {
    await sessions.destroySession({});
  } catch (thrown) {
    if (asRefusal(thrown).code !== "unauthenticated") {
      throw thrown;
    }
  }
  forgetAccount();
}

/** forgetAccount forgets the account of a session that its owner has ended. */
export function forgetAccount(): void {
  keepShrimp("");
  setAccount(null);
  tellSignedOut();
}

function tellSignedOut(): void {
  last = undefined;
  for (const fn of signedOut) {
    fn();
  }
}

const signedOut = new Set<() => void>();

/** whenSignedOut calls fn when the visitor has signed out: the next one may be someone else. */
export function whenSignedOut(fn: () => void): void {
  signedOut.add(fn);
}

/** The last account that was signed in here. */
let last: Account | undefined;

/**
 * setAccount sets the account that is signed in, and shows its language. What the
 * account before it left is forgotten: its session may have ended elsewhere.
 */
export function setAccount(next: Account | null): void {
  if (next && last && next.accountId !== last.accountId) {
    tellSignedOut();
  }
  last = next ?? last;
  account.value = next;
  if (next?.locale) {
    followAccountLocale(next.locale);
  }
}

/** forgetEndedSession forgets the account if a call was refused because its session ended. */
export function forgetEndedSession(thrown: unknown): void {
  if (asRefusal(thrown).code === "unauthenticated") {
    setAccount(null);
  }
}
