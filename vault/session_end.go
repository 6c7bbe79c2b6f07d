package vault

import (
	"context"
	"errors"
	"slices"
	"time"

	"hush/storage"
)

// DestroySession signs out: it ends the session that the caller came with. It
// returns ErrUnauthenticated for callers without an account and ErrPolicy for
// those with another credential. A session that ended meanwhile is no error.
func (v *Vault) DestroySession(ctx context.Context, c Caller) error {
	if c.with == nil {
		return ErrUnauthenticated
	}
	if c.with.session == nil {
		return &PolicyError{Text: "There is no session to end: this call came with an API token."}
	}
	_, err := v.endSome(ctx, c.with.id, func(s ownSession) bool { return s.row == *c.with.session })
	return err
}

// RevokeSessions ends sessions of the caller's account, and returns how many:
// those with the ids, whatever else is among them, or all, the caller's own
// included. Whoever comes with one of them next is refused. Callers without an
// account get ErrUnauthenticated.
func (v *Vault) RevokeSessions(ctx context.Context, c Caller, ids []string, all bool) (int, error) {
	if c.with == nil {
		return 0, ErrUnauthenticated
	}
	return v.endSome(ctx, c.with.id, func(s ownSession) bool {
		return all || slices.Contains(ids, s.record.id.String())
	})
}

// endSome ends the sessions of an account that are meant and returns how many
// of them were still good.
func (v *Vault) endSome(ctx context.Context, id AccountID, meant func(ownSession) bool) (ended int, err error) {
	now := v.clock.now()
	found := func(tx storage.Tx) ([]ownSession, error) {
		owned, err := getSessions(tx, id)
		return slices.DeleteFunc(owned, func(s ownSession) bool { return !meant(s) }), err
	}
	var list []ownSession
	err = v.store.View(ctx, func(tx storage.Tx) (err error) {
		list, err = found(tx)
		return err
	})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	err = v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
		ended = 0
		list, err := found(tx)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, s := range list {
			if v.lasts(s, now) {
				ended++
			}
			if err := deleteSession(tx, s); err != nil {
				return err
			}
		}
		return auditAccount(tx, now, AuditSessionsRevoked, id)
	})
	if err != nil {
		return 0, err
	}
	v.watches.tellAccount(id)
	return ended, nil
}

// endSessions ends all sessions of an account but the one in that row, if any,
// and returns how many ended.
func endSessions(tx storage.Tx, id AccountID, except *[32]byte) (int, error) {
	owned, err := getSessions(tx, id)
	if err != nil {
		return 0, err
	}
	ended := 0
	for _, s := range owned {
		if except != nil && s.row == *except {
			continue
		}
		if err := deleteSession(tx, s); err != nil {
			return 0, err
		}
		ended++
	}
	return ended, nil
}

// endSession ends a session whose time is over. One that was used since its
// end was asked for has another.
func (v *Vault) endSession(tx storage.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != 32 {
		return time.Time{}, errDamaged
	}
	row := [32]byte(key)
	record, err := getSession(tx, row)
	if err != nil {
		return time.Time{}, unlessGone(err)
	}
	s := ownSession{row, record}
	if end := record.ends(v.lastUse(s)); now.Before(end) {
		return end, nil
	}
	return time.Time{}, deleteSession(tx, s)
}

// unlessGone drops ErrNotFound where a row may be gone already.
func unlessGone(err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// lastUse is when a session was last used.
func (v *Vault) lastUse(s ownSession) time.Time {
	return v.uses.at(useKey{bucketSession, s.row}, s.record.used)
}

// lasts tells whether a session is still good.
func (v *Vault) lasts(s ownSession, now time.Time) bool {
	return now.Before(s.record.ends(v.lastUse(s)))
}
