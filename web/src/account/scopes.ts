import { TokenScope } from "../gen/hush/v1/account_pb";

/** What a token may be good for, and how texts name it. */
export const scopes = [
  [TokenScope.CONCEAL, "conceal"],
  [TokenScope.REVEAL, "reveal"],
  [TokenScope.METADATA, "metadata"],
  [TokenScope.ACCOUNT, "account"],
] as const;
