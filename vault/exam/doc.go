// Package exam is how the packages that own buckets take part in an examination
// of a whole store: each says what must hold for its rows, and reports what it
// finds. Package doctor runs it.
//
// It has the invariants of the buckets of package rows, which all others import.
package exam
