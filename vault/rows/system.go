package rows

import (
	"hush/storage"
)

// BucketSystem has verifier, clock, audit sequence, counters.
const BucketSystem = "system"

// The rows of the bucket system that this package writes.
const (
	SystemVerifier = "verifier"
	SystemMark     = "clock"
	SystemAudit    = "audit sequence"
	SystemCounts   = "counters"
)

// GetSystem returns the value of a name in the bucket system, or
// storage.ErrNotFound.
func GetSystem(tx storage.Tx, name string) ([]byte, error) {
	return tx.Get(BucketSystem, []byte(name))
}

// LoadSystemOr is LoadOr for a name in the bucket system.
func LoadSystemOr[T any](tx storage.Tx, name string, decode func([]byte) (T, error), missing T) (T, error) {
	return LoadOr(tx, BucketSystem, []byte(name), decode, missing)
}

// PutSystem stores the value of a name in the bucket system.
func PutSystem(tx storage.Tx, name string, value []byte) error {
	return tx.Put(BucketSystem, []byte(name), value)
}
