package credential

import (
	"errors"
	"time"

	"hush/vault/refusal"
	"hush/vault/rows"
)

// DropSession ends a session of a restored store. One that cannot be read is deleted.
func DropSession(tx *rows.Tx, key []byte, _ time.Time) error {
	if len(key) != 32 {
		return tx.Delete(BucketSession, key)
	}
	row := [32]byte(key)
	record, err := GetSession(tx, row)
	switch {
	case errors.Is(err, refusal.ErrNotFound):
		return nil
	case rows.IsDamage(err):
		return tx.Delete(BucketSession, key)
	case err != nil:
		return err
	}
	return DeleteSession(tx, OwnSession{row, record})
}
