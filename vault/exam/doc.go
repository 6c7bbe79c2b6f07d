// Package exam is how the packages that own buckets take part in an examination
// of a whole store: each says what must hold for its rows, and reports what it
// finds. Package doctor runs it.
//
// It has the invariants of the buckets of packages audit, sweep and cluster, and of the
// bucket system: exam imports them, so they cannot name its types.
package exam
