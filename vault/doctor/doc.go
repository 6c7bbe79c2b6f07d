// Package doctor examines a whole store, and changes nothing: whether every row
// can be read, and whether all that must hold between rows, shares, counters and
// the root key does.
//
// It knows no rule itself. Each package that owns a bucket says in its function
// Invariants what must hold for its rows; this package asks them in order, and
// says in Codes what each kind of finding means. It owns no bucket. Only
// what serves and runs the operator's commands uses it.
package doctor
