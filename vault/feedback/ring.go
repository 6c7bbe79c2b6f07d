package feedback

import (
	"encoding/binary"

	"hush/storage"
	"hush/vault/rows"
)

// RingSize is how many rows of feedback are kept, and how many of exceptions.
// What comes after them pushes the oldest out.
const RingSize = 10_000

// RingKey is the row of a number: the newest come first.
func RingKey(number uint64) []byte { return rows.BigEndian(^number) }

// newestInRing returns the number of the newest row, 0 if there is none.
func newestInRing(tx storage.Tx, bucket string) (number uint64, err error) {
	err = tx.Range(bucket, nil, nil, func(key, _ []byte) error {
		if len(key) != 8 {
			return rows.ErrDamaged
		}
		number = ^binary.BigEndian.Uint64(key)
		return rows.ErrEnough
	})
	return number, rows.IgnoreEnough(err)
}

// pushedOut returns the rows that a new one leaves no room for. Numbers are
// given in turn, so there is hardly ever more than one.
func pushedOut(tx storage.Tx, bucket string, number uint64) (keys [][]byte, err error) {
	if number <= RingSize {
		return nil, nil
	}
	err = tx.Range(bucket, RingKey(number-RingSize), nil, func(key, _ []byte) error {
		keys = append(keys, append([]byte(nil), key...))
		return nil
	})
	return keys, err
}
