/* What is too large for one message is sent in parts. Here is what that means for a draft. */
import { account, policy } from "../session";
import type { ChosenFile, Draft, SharedFile, Whole } from "../share/draft";
import { limit } from "../share/draft";
import { whole as read, unreadable } from "../share/files";

/** fileLimit returns the maximum size of a file in bytes; 0 where none is sent in parts, and no limit until that is known. */
export function fileLimit(): number {
  if (account.value === undefined || !policy.value) {
    return Number.MAX_SAFE_INTEGER;
  }
  return Number((account.value ? policy.value.accountFile : policy.value.anonymousFile) ?? 0);
}

/** largest returns the maximum size of what is shared, in one message or in parts. */
export function largest(): number {
  return Math.max(limit(), fileLimit());
}

/** knownLargest returns the same, or undefined until it is known. */
export function knownLargest(): number | undefined {
  return account.value === undefined || !policy.value ? undefined : largest();
}

/** accountLargest returns the maximum size of what a visitor could share with an account. */
export function accountLargest(): number {
  const { accountSecret = 0n, accountFile = 0n } = policy.value ?? {};
  return Math.max(Number(accountSecret), Number(accountFile));
}

/** lengthOf returns the number of bytes of a file that was chosen, once they are read, or can be. It throws a FilesError or a Refusal. */
export async function lengthOf({ large, body }: Pick<ChosenFile, "large" | "body">): Promise<number> {
  if (!large) {
    return (await body()).length;
  }
  await large
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => unreadable(large));
  return large.size;
}

/** whole returns a draft with the content of its file, which is not read if it is large. It throws what its body throws. */
export async function whole(draft: Draft): Promise<Whole> {
  const { file, ...rest } = draft;
  if (file?.large && file.large.size > limit()) {
    return { ...rest, file: largeFile(file, file.large) };
  }
  const all = await read(draft);
  return file && all.file && all.file.body.length > limit() && fileLimit() > 0
    ? { ...rest, file: largeFile(file, new Blob([all.file.body])) }
    : all;
}

function largeFile({ name, type, packed }: ChosenFile, large: Blob): SharedFile {
  return { name, type, body: new Uint8Array(), large, count: packed.length };
}
