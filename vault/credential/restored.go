package credential

import (
	"context"
	"errors"

	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// EndAllSessions ends every session of a store that nothing serves, and returns
// how many there were. A session that cannot be read is deleted.
func EndAllSessions(ctx context.Context, store cluster.Store) (int, error) {
	return sweep.Drain(ctx, store, BucketSession, func(tx *rows.Tx, keys [][]byte) error {
		for _, key := range keys {
			if err := endSession(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

func endSession(tx *rows.Tx, key []byte) error {
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
