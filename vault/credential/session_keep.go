package credential

import (
	"context"
	"errors"
	"time"

	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/sweep"
)

// PutSession adds a session to its account.
func PutSession(tx *rows.Tx, row [32]byte, r *SessionRecord) error {
	if err := tx.Put(BucketSession, row[:], r.encode()); err != nil {
		return err
	}
	if err := tx.Put(BucketSessions, r.sessionsKey(), row[:]); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Sessions, By: +1}); err != nil {
		return err
	}
	return sweep.PutDue(tx, r.ends(r.Used), sweep.DueSession, row[:])
}

// DeleteSession ends a session. Its row in the due index stays and has no
// effect.
func DeleteSession(tx *rows.Tx, s OwnSession) error {
	if err := tx.Delete(BucketSession, s.Row[:]); err != nil {
		return err
	}
	if err := tx.Delete(BucketSessions, s.Record.sessionsKey()); err != nil {
		return err
	}
	if err := counter.Add(tx, counter.Change{Counter: counter.Sessions, By: -1}); err != nil {
		return err
	}
	return dropPair(tx, s.Record.Account, s.Record.Pair)
}

// ListSessions lists the sessions of an account and marks the one in the row
// current, which may be nil.
func (cr *Credentials) ListSessions(ctx context.Context, id caller.AccountID, current *[32]byte) (list []Session, err error) {
	now := cr.clock.Now()
	err = cr.store.View(ctx, func(tx *rows.Tx) error {
		list = nil
		owned, err := GetSessions(tx, id)
		for _, s := range owned {
			if cr.Lasts(s, now) {
				list = append(list, s.Record.Describe(cr.lastUse(s), current != nil && *current == s.Row))
			}
		}
		return err
	})
	return list, err
}

// EndSessions ends all sessions of an account but the one in the row except, if
// any, and returns how many ended.
func EndSessions(tx *rows.Tx, id caller.AccountID, except *[32]byte) (int, error) {
	owned, err := GetSessions(tx, id)
	if err != nil {
		return 0, err
	}
	ended := 0
	for _, s := range owned {
		if except != nil && s.Row == *except {
			continue
		}
		if err := DeleteSession(tx, s); err != nil {
			return 0, err
		}
		ended++
	}
	return ended, nil
}

// EndSession ends an expired session. A session that was used since its end was
// scheduled ends later.
func (cr *Credentials) EndSession(tx *rows.Tx, key []byte, now time.Time) (time.Time, error) {
	if len(key) != 32 {
		return time.Time{}, rows.ErrDamaged
	}
	row := [32]byte(key)
	record, err := GetSession(tx, row)
	if err != nil {
		return time.Time{}, unlessGone(err)
	}
	s := OwnSession{row, record}
	if end := record.ends(cr.lastUse(s)); now.Before(end) {
		return end, nil
	}
	return time.Time{}, DeleteSession(tx, s)
}

// unlessGone drops ErrNotFound where a row may already be gone.
func unlessGone(err error) error {
	if errors.Is(err, refusal.ErrNotFound) {
		return nil
	}
	return err
}

// lastUse returns when a session was last used.
func (cr *Credentials) lastUse(s OwnSession) time.Time {
	return cr.lastUsed.at(SessionUse(s.Row), s.Record.Used)
}

// Lasts reports whether a session is still valid.
func (cr *Credentials) Lasts(s OwnSession, now time.Time) bool {
	return now.Before(s.Record.ends(cr.lastUse(s)))
}
