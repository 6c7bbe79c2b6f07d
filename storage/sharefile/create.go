package sharefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
)

// StoreID is the random number that a file and the database of its records share: they
// belong together.
type StoreID [16]byte

// NewStoreID draws the id of a new store.
func NewStoreID() StoreID {
	var id StoreID
	_, _ = rand.Read(id[:]) // never fails: it ends the process instead
	return id
}

// Create makes a durable file without shares at path, which must be free.
func Create(path string, id StoreID) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("creating shares: %w", err)
	}
	header := encodeHeader(id, headerBarred)
	_, err = file.WriteAt(header[:], 0)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("creating shares: %w", err)
	}
	return nil
}
