// Package rows is what every rule that stores something needs: a transaction that
// knows its node, the encoding of records, and how rows are read, walked and found
// damaged.
//
// It owns the bucket system, whose rows belong to the packages that name them. A
// function that takes a transaction writes only in that transaction, so that a change,
// its audit row and its counters are durable together or not at all.
package rows
