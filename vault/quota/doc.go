// Package quota counts the bytes of secrets, receipts and claims toward an account, a
// network, the IPv6 /48 around it, all anonymous callers and the whole store, and refuses
// what is beyond a limit with refusal.ErrQuota.
//
// A store that no other node shares is counted in memory, anew at each start: rows would
// cost each conceal and each reveal a page (docs/adr/0019-bytes-counted-in-memory.md).
// Nodes that share a store count in it: each has rows of its own, which change in the
// transaction of what they count. Either way the owners of records say with a Charge what
// they count for, and the count reads no records.
package quota
