package receipt_test

import (
	"hush/seal"
	"hush/vault/receipt"
)

// storedState returns the state of a stored receipt.
func storedState(record []byte) (receipt.State, error) {
	r, err := receipt.Decode(record)
	if err != nil {
		return 0, err
	}
	return r.State(), nil
}

// storedLink returns what a stored receipt still says of its secret: the
// secret's row and its sealed key.
func storedLink(record []byte) (row seal.RowKey, sealedKey []byte, err error) {
	r, err := receipt.Decode(record)
	if err != nil {
		return seal.RowKey{}, nil, err
	}
	return r.Secret(), r.SealedKey(), nil
}
