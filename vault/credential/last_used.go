package credential

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"hush/storage"
	"hush/vault/refusal"
)

const (
	// useStep is the precision of the stored last use of a session or token.
	useStep = time.Minute
	// UsesMost bounds the memory of lastUsed to about 1 MiB, and its flush to
	// as many rows. Beyond it each use is written at once.
	UsesMost = 4096
)

// UseKey identifies a session or token.
type UseKey struct {
	Bucket string // BucketSession or BucketToken
	Row    [32]byte
}

// lastUsed remembers when sessions and tokens were last used until the sweeper
// writes it, so that requests need not write. A crash loses less than the
// sweeper's period.
type lastUsed struct {
	mu   sync.Mutex
	last map[UseKey]time.Time
}

func newLastUsed() *lastUsed { return &lastUsed{last: map[UseKey]time.Time{}} }

// note records a use and reports whether there was room for it.
func (u *lastUsed) note(key UseKey, at time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, known := u.last[key]
	if !known && len(u.last) >= UsesMost {
		return false
	}
	u.last[key] = Later(before, at)
	return true
}

// at returns when something was last used: the later of the remembered and the
// stored time.
func (u *lastUsed) at(key UseKey, stored time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return Later(u.last[key], stored)
}

func (u *lastUsed) all() map[UseKey]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.last)
}

// forget drops what was written, but not what was used since.
func (u *lastUsed) forget(written map[UseKey]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.last, func(key UseKey, at time.Time) bool { return at.Equal(written[key]) })
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

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
	return cr.store.Update(ctx, func(tx storage.Tx) error {
		for key, at := range noted {
			write := writeSessionUse
			if key.Bucket == BucketToken {
				write = writeTokenUse
			}
			if err := write(tx, key.Row, at); err != nil && !errors.Is(err, refusal.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

func writeSessionUse(tx storage.Tx, row [32]byte, at time.Time) error {
	record, err := GetSession(tx, row)
	if err != nil || !at.After(record.Used) {
		return err
	}
	record.Used = at
	return tx.Put(BucketSession, row[:], record.Encode())
}

func writeTokenUse(tx storage.Tx, row [32]byte, at time.Time) error {
	record, err := GetToken(tx, row)
	if err != nil || !at.After(record.Used) {
		return err
	}
	record.Used = at
	return tx.Put(BucketToken, row[:], record.encode())
}

// NoteUse records the use of a credential and reports whether there was room
// for it.
func (cr *Credentials) NoteUse(key UseKey, at time.Time) bool { return cr.lastUsed.note(key, at) }
