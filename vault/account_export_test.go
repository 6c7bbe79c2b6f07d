package vault

import (
	"bytes"
	"time"
)

// What the external tests of accounts look for in the store.
const (
	BucketAddress = bucketAddress
	BucketTicket  = bucketTicket
	BucketTries   = bucketTries
	BucketTally   = bucketTally
)

// Tombstone is what a destroyed account leaves.
type Tombstone struct {
	AddressID [32]byte
	Destroyed time.Time
}

// TombstoneOf reads the record of a destroyed account, and returns ErrFault if
// it says anything else.
func TombstoneOf(record []byte) (Tombstone, error) {
	r, err := decodeAccount(record)
	if err != nil {
		return Tombstone{}, err
	}
	kept := Tombstone{r.addressID, r.destroyed}
	if !bytes.Equal(record, (&accountRecord{addressID: kept.AddressID, destroyed: kept.Destroyed}).encode()) {
		return Tombstone{}, errFault
	}
	return kept, nil
}
