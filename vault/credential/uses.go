package credential

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/vault/refusal"
	"hush/vault/rows"
)

// useStep is the precision of the stored last use of a session or token.
const useStep = time.Minute

// Used records the use of a credential whose row says stored. If that fails,
// the credential is still accepted.
func (cr *Credentials) Used(ctx context.Context, key UseKey, stored, now time.Time) {
	if now.Sub(cr.lastUsed.at(key, stored)) < useStep || cr.lastUsed.note(key, now) {
		return
	}
	if err := cr.writeUses(ctx, map[UseKey]time.Time{key: now}); err != nil && ctx.Err() == nil {
		cr.log.Error("recording the use of a credential", "cause", err)
	}
}

// FlushUses writes the remembered uses. After an error they stay remembered.
func (cr *Credentials) FlushUses(ctx context.Context, _ time.Time) error {
	noted := cr.lastUsed.all()
	if len(noted) == 0 {
		return nil
	}
	if err := cr.writeUses(ctx, noted); err != nil {
		return fmt.Errorf("writing uses: %w", err)
	}
	cr.lastUsed.forget(noted)
	return nil
}

func (cr *Credentials) writeUses(ctx context.Context, noted map[UseKey]time.Time) error {
	return cr.store.Update(ctx, func(tx *rows.Tx) error {
		for key, at := range noted {
			write := writeSessionUse
			if key.bucket == BucketToken {
				write = writeTokenUse
			}
			err := write(tx, key.row, at)
			if errors.Is(err, refusal.ErrNotFound) || rows.IsDamage(err) {
				continue // the sweeper reports damage when the row is due
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func writeSessionUse(tx *rows.Tx, row [32]byte, at time.Time) error {
	record, err := GetSession(tx, row)
	if err != nil || !at.After(record.Used) {
		return err
	}
	record.Used = at
	return tx.Put(BucketSession, row[:], record.encode())
}

func writeTokenUse(tx *rows.Tx, row [32]byte, at time.Time) error {
	record, err := GetToken(tx, row)
	if err != nil || !at.After(record.Used) {
		return err
	}
	record.Used = at
	return tx.Put(BucketToken, row[:], record.encode())
}
