package bolt

import (
	"crypto/rand"
	"fmt"

	"go.etcd.io/bbolt"
)

const (
	// ownBucket holds the store's own data. No bucket of a caller can have that
	// name.
	ownBucket  = "\x00store"
	storeIDKey = "id"
)

// storeID is the random number that a database and its shares share.
type storeID [16]byte

func readStoreID(db *bbolt.DB) (storeID, error) {
	var id storeID
	err := db.View(func(btx *bbolt.Tx) error {
		b := btx.Bucket([]byte(ownBucket))
		if b == nil || copy(id[:], b.Get([]byte(storeIDKey))) != len(id) {
			return fmt.Errorf("%w: hush.db has no store id", ErrMismatch)
		}
		return nil
	})
	return id, err
}

func newStoreID() storeID {
	var id storeID
	_, _ = rand.Read(id[:]) // never fails: it ends the process instead
	return id
}

func writeStoreID(btx *bbolt.Tx, id storeID) error {
	b, err := btx.CreateBucket([]byte(ownBucket))
	if err != nil {
		return fmt.Errorf("creating the store's bucket: %w", err)
	}
	return b.Put([]byte(storeIDKey), id[:])
}
