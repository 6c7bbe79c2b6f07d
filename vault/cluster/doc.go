// Package cluster is the store as the processes that share it see it: its
// transactions, the nodes and their leases, the formats that all of them read, the
// clock that they follow, and what they tell each other. Without a second process it is
// the same, with one node and no leases.
//
// It owns the bucket node, and in the bucket system the clock's mark and the record of
// a copy.
package cluster
