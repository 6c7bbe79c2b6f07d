package credential

import (
	"bytes"
	"context"
	"errors"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// Renew wraps the key that a session or token holds with the current root key,
// unless that is so already: only at its use are all parts at hand. A caller goes on
// without it if it fails, since the old wrap opens for as long as the old root key
// is there.
func (cr *Credentials) Renew(ctx context.Context, with *caller.Verified) {
	if len(with.Key.Wrapped) == 0 || cr.keys.Ring().IsCurrent(with.Key.Wrapped) {
		return
	}
	key, err := cr.keys.UnwrapAccountKey(with.Key.Secret, with.Key.Label, with.Key.Wrapped)
	if err == nil {
		err = cr.rewrap(ctx, with, key)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, refusal.ErrNotFound) {
		cr.log.Warn("wrapping a credential's key with the current root key", "cause", err)
	}
}

func (cr *Credentials) rewrap(ctx context.Context, with *caller.Verified, key seal.AccountKey) error {
	next := cr.keys.WrapAccountKey(with.Key.Secret, with.Key.Label, key)
	return cr.store.Update(ctx, func(tx *rows.Tx) error {
		if with.Session {
			record, err := GetSession(tx, with.Row)
			if err != nil || !bytes.Equal(record.Wrapped, with.Key.Wrapped) {
				return err
			}
			record.Wrapped = next
			return tx.Put(BucketSession, with.Row[:], record.encode())
		}
		record, err := GetToken(tx, with.Row)
		if err != nil || !bytes.Equal(record.Wrapped, with.Key.Wrapped) {
			return err
		}
		record.Wrapped = next
		return tx.Put(BucketToken, with.Row[:], record.encode())
	})
}
