package receipt

import (
	"time"

	"hush/seal"
	"hush/vault/rows"
)

// BucketExpiry has time in ms (8) ‖ metadata row (22) -> nothing. A receipt has one
// row in it: first at the time its secret expires, and once that is gone at the time
// it is forgotten itself.
const BucketExpiry = "expiry"

// DueRows returns at most limit keys of the index, of what is due at now, the earliest
// first; see DueReceipt.
func DueRows(tx *rows.Tx, now time.Time, limit int) ([][]byte, error) {
	return rows.FirstKeys(tx, BucketExpiry, rows.BigEndian(rows.Millis(now)+1), limit)
}

// DueReceipt returns the row of the receipt that a key of the index is about, and false
// for a malformed one.
func DueReceipt(key []byte) (row seal.RowKey, ok bool) {
	if len(key) != 8+len(row) {
		return row, false
	}
	return seal.RowKey(key[8:]), true
}

// PutOff makes what a key of the index is about due at next; the zero time removes it
// from the index.
func PutOff(tx *rows.Tx, key []byte, next time.Time) error {
	if err := tx.Delete(BucketExpiry, key); err != nil || next.IsZero() {
		return err
	}
	return tx.Put(BucketExpiry, rows.TimeKey(next, key[8:]), nil)
}
