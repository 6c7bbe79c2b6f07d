package rows

import (
	"hush/storage"
)

// BucketSystem has verifier, clock, audit sequence, counters.
const BucketSystem = "system"

// The rows of the bucket system that are written here.
const (
	SystemVerifier = "verifier"
	SystemMark     = "clock"
	SystemAudit    = "audit sequence"
	SystemCounts   = "counters"
)

// GetSystem returns what the store keeps once under a name, or
// storage.ErrNotFound.
func GetSystem(tx storage.Tx, name string) ([]byte, error) {
	return tx.Get(BucketSystem, []byte(name))
}

// PutSystem stores something that there is once.
func PutSystem(tx storage.Tx, name string, value []byte) error {
	return tx.Put(BucketSystem, []byte(name), value)
}
