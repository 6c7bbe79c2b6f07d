package bolt

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"hush/storage/sharefile"
)

const (
	// ownBucket holds the store's own data. No bucket of a caller can have that
	// name.
	ownBucket  = "\x00store"
	storeIDKey = "id"
)

func readStoreID(db *bbolt.DB) (sharefile.StoreID, error) {
	var id sharefile.StoreID
	err := db.View(func(btx *bbolt.Tx) error {
		b := btx.Bucket([]byte(ownBucket))
		if b == nil || copy(id[:], b.Get([]byte(storeIDKey))) != len(id) {
			return fmt.Errorf("%w: hush.db has no store id", ErrMismatch)
		}
		return nil
	})
	return id, err
}

func writeStoreID(btx *bbolt.Tx, id sharefile.StoreID) error {
	b, err := btx.CreateBucket([]byte(ownBucket))
	if err != nil {
		return fmt.Errorf("creating the store's bucket: %w", err)
	}
	return b.Put([]byte(storeIDKey), id[:])
}

// ID returns the random number that the database shares with its shares. A copy
// of the rows in another folder has another.
func (s *Store) ID() (id [16]byte, err error) {
	if err := s.admit(context.Background()); err != nil {
		return id, err
	}
	return readStoreID(s.db)
}
