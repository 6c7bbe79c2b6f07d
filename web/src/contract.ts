/** The contract's numbers that the first script needs, without its messages. */
export const Role = { customer: 1, colonel: 2 } as const;
export const SignUp = { open: 1, invite: 2, closed: 3 } as const;
export const State = { unknown: 0, new: 1, viewed: 2, received: 3, burned: 4, expired: 5 } as const;
export const DomainState = { pending: 1, verified: 2, suspended: 3 } as const;
