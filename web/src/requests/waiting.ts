/* How many answers wait for the account, as far as this page knows. */
import { signal } from "@preact/signals";
import type { Request } from "../gen/hush/v1/request_pb";
import { requests } from "../rpc";
import { whenSignedOut } from "../session";

/** waiting is the number of answers that wait. */
export const waiting = signal(0);

/** count counts the answers that wait among the requests of an account. */
export function count(all: readonly Request[]): void {
  waiting.value = all.reduce((sum, one) => sum + one.waiting, 0);
}

/** look asks the service. It stays silent where that fails: the list says why. */
export async function look(): Promise<void> {
  try {
    count((await requests.listRequests({})).requests);
  } catch {
    // The count stays as it was.
  }
}

whenSignedOut(() => {
  waiting.value = 0;
});
