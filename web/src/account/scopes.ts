import { TokenScope } from "../gen/hush/v1/account_pb";

/** The scopes of a token, with their names in the catalogue. */
export const scopes = [
  [TokenScope.CONCEAL, "conceal"],
  [TokenScope.REVEAL, "reveal"],
  [TokenScope.METADATA, "metadata"],
  [TokenScope.REQUEST, "request"],
  [TokenScope.ACCOUNT, "account"],
] as const;
