/*
 * The enums of the contract that the first script needs, without the generated
 * messages. The compiler compares their numbers with the generated enums.
 */
import type * as account from "./gen/hush/v1/account_pb";
import type * as domain from "./gen/hush/v1/domain_pb";
import type * as metadata from "./gen/hush/v1/metadata_pb";
import type * as request from "./gen/hush/v1/request_pb";
import type * as secret from "./gen/hush/v1/secret_pb";
import type * as system from "./gen/hush/v1/system_service_pb";

export const Role = { customer: 1, colonel: 2 } as const satisfies Numbers<typeof account.Role>;
export const SignUp = { open: 1, invite: 2, closed: 3 } as const satisfies Numbers<typeof system.SignUp>;
export const State = {
  unspecified: 0,
  new: 1,
  viewed: 2,
  received: 3,
  burned: 4,
  expired: 5,
} as const satisfies Numbers<typeof secret.State>;
export const Encryption = { server: 1, end_to_end: 2 } as const satisfies Numbers<typeof secret.Encryption>;
export const EventKind = {
  created: 1,
  looked: 2,
  passphrase: 3,
  revealed: 4,
  burned: 5,
  expired: 6,
  delivered: 7,
  lapsed: 8,
} as const satisfies Numbers<typeof metadata.Event_Kind>;
export const RequestState = {
  open: 1,
  full: 2,
  past: 3,
  closed: 4,
  withdrawn: 5,
} as const satisfies Numbers<typeof request.Request_State>;
export const Requests = { accounts: 1, anyone: 2, off: 3 } as const satisfies Numbers<typeof system.Requests>;
export const DomainState = {
  pending: 1,
  verified: 2,
  suspended: 3,
} as const satisfies Numbers<typeof domain.DomainState>;

/** Numbers has the number of each value of an enum under its name in lower case. UNSPECIFIED is optional. */
type Numbers<E> = Omit<ByName<E>, "unspecified"> & Partial<ByName<E>>;
type ByName<E> = { [K in keyof E & string as Lowercase<K>]: NumberOf<E[K]> };
type NumberOf<V> = V extends number ? (`${V}` extends `${infer N extends number}` ? N : never) : never;
