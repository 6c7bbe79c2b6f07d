import { computed, signal } from "@preact/signals";
import type { Account } from "./gen/hush/v1/account_pb";
import type { GetPolicyResponse } from "./gen/hush/v1/system_service_pb";
import { followAccountLocale } from "./i18n";
import { accounts, sessions, system } from "./rpc";
import { keepShrimp, shrimp } from "./shrimp";

/** What the operator allows; undefined until it is known. */
export const policy = signal<GetPolicyResponse | undefined>(undefined);

/** Who is signed in: null for nobody, undefined while that is not known yet. */
export const account = signal<Account | null | undefined>(undefined);

/** What the instance is called. */
export const instanceName = computed(() => policy.value?.instanceName || "Hush");

/** start learns what every page needs. It never fails: pages say what does. */
export async function start(): Promise<void> {
  keepShrimp(system.validateShrimp({}).then(({ shrimp }) => shrimp));
  await Promise.all([loadPolicy(), loadAccount()]);
}

export async function loadPolicy(): Promise<void> {
  try {
    policy.value = await system.getPolicy({});
  } catch {
    // Pages do without: the service says what it does not allow.
  }
}

/**
 * loadAccount learns who is signed in. The cookie cannot be seen from here; a
 * token that is good tells that there is a session.
 */
export async function loadAccount(): Promise<void> {
  try {
    const token = await shrimp();
    const { valid } = await system.validateShrimp({ shrimp: token });
    setAccount(valid ? ((await accounts.getAccount({})).account ?? null) : null);
  } catch {
    setAccount(null);
  }
}

/** signIn makes a session. It throws Refusal. */
export async function signIn(address: string, password: string, remember: boolean): Promise<void> {
  const answer = await sessions.createSession({ address, password, remember });
  keepShrimp(answer.shrimp);
  setAccount(answer.account ?? null);
}

/** signOut ends the session, and forgets who it was in any case. */
export async function signOut(): Promise<void> {
  try {
    await sessions.destroySession({});
  } finally {
    keepShrimp("");
    setAccount(null);
  }
}

/** setAccount takes over an account that an answer brought. */
export function setAccount(next: Account | null): void {
  account.value = next;
  if (next?.locale) {
    followAccountLocale(next.locale);
  }
}
