package vault

import (
	"encoding/binary"

	"hush/storage"
)

// ringSize is how many rows of feedback are kept, and how many of exceptions.
// What comes after them pushes the oldest out.
const ringSize = 10_000

// ringKey is the row of a number: the newest come first.
func ringKey(number uint64) []byte { return bigEndian(^number) }

// newestInRing returns the number of the newest row, 0 if there is none.
func newestInRing(tx storage.Tx, bucket string) (number uint64, err error) {
	err = tx.Range(bucket, nil, nil, func(key, _ []byte) error {
		if len(key) != 8 {
			return errDamaged
		}
		number = ^binary.BigEndian.Uint64(key)
		return errEnough
	})
	return number, ignoreEnough(err)
}

// pushedOut returns the rows that a new one leaves no room for. Numbers are
// given in turn, so there is hardly ever more than one.
func pushedOut(tx storage.Tx, bucket string, number uint64) (keys [][]byte, err error) {
	if number <= ringSize {
		return nil, nil
	}
	err = tx.Range(bucket, ringKey(number-ringSize), nil, func(key, _ []byte) error {
		keys = append(keys, append([]byte(nil), key...))
		return nil
	})
	return keys, err
}
