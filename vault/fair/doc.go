// Package fair lets callers share what is scarce: turns to hash a password, queries, the
// memory of what is being received. All callers together hold no more than there is, and
// those of one key, such as a network, no more than their share of it. So one of them
// cannot keep all others out.
//
// A key is counted exactly, and forgotten once it holds nothing: the memory for keys
// follows what is held, however many of them come by.
package fair
