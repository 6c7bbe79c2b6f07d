package vault

import (
	"context"

	"hush/storage"
)

// ListSessions lists the sessions of the caller's account, newest first, and
// tells which is the caller's own. Callers without an account get
// ErrUnauthenticated.
func (v *Vault) ListSessions(ctx context.Context, c Caller) ([]Session, error) {
	if c.with == nil {
		return nil, ErrUnauthenticated
	}
	return v.listSessions(ctx, c.with.id, c.with.session)
}

// listSessions marks the session in the row current, which may be nil.
func (v *Vault) listSessions(ctx context.Context, id AccountID, current *[32]byte) (list []Session, err error) {
	now := v.clock.now()
	err = v.store.View(ctx, func(tx storage.Tx) error {
		list = nil
		owned, err := getSessions(tx, id)
		for _, s := range owned {
			if v.lasts(s, now) {
				list = append(list, s.record.describe(v.lastUse(s), current != nil && *current == s.row))
			}
		}
		return err
	})
	return list, err
}
