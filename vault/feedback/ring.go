package feedback

import (
	"encoding/binary"

	"hush/vault/rows"
)

// ringSize is the maximum number of rows of feedback, and of exceptions. A new
// row then replaces the oldest.
const ringSize = 10_000

// ringKey returns the row of a number: the newest come first.
func ringKey(number uint64) []byte { return rows.BigEndian(^number) }

// newestInRing returns the number of the newest row, 0 if there is none.
func newestInRing(tx *rows.Tx, bucket string) (number uint64, err error) {
	err = tx.Range(bucket, nil, nil, func(key, _ []byte) error {
		if len(key) != 8 {
			return rows.ErrDamaged
		}
		number = ^binary.BigEndian.Uint64(key)
		return rows.ErrEnough
	})
	return number, rows.IgnoreEnough(err)
}

// pushedOut returns the rows that a new one replaces. Numbers are consecutive,
// so there is rarely more than one.
func pushedOut(tx *rows.Tx, bucket string, number uint64) (keys [][]byte, err error) {
	if number <= ringSize {
		return nil, nil
	}
	err = tx.Range(bucket, ringKey(number-ringSize), nil, func(key, _ []byte) error {
		keys = append(keys, append([]byte(nil), key...))
		return nil
	})
	return keys, err
}
