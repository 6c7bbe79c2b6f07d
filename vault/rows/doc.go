// Package rows is the base of every rule that stores something: the store, the
// encoding of records, the clock, the index of due things, the audit trail, the
// counters, the nodes that share a store and their leases, and the sweeper's
// walks and batches.
//
// It owns the buckets system, audit, due and node. A function that takes a
// transaction writes only in that transaction, so that a change, its audit row
// and its counters are durable together or not at all. Every package of the
// vault that owns a bucket may use it.
package rows
