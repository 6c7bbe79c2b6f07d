// Package rows is what every rule that keeps something stands on: the store,
// the layout of records, the one clock, the index of what ends when, the audit
// trail, the counters, and the walks and batches of the sweeper.
//
// It owns the buckets system, audit and due. The functions that take a
// transaction write in it and nowhere else, so that a change, its audit row and
// its counters are durable together or not at all. Every package of the vault
// that owns a bucket may use it.
package rows
