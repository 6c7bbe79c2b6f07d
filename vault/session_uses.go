package vault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"hush/storage"
)

const (
	// useStep is how exactly the last use of a session or token is kept.
	useStep = time.Minute
	// usesMost bounds the memory of uses to about 1 MiB, and its flush to as
	// many rows. Beyond it each use is written at once.
	usesMost = 4096
)

// useKey is the row of a session or token.
type useKey struct {
	bucket string // bucketSession or bucketToken
	row    [32]byte
}

// uses remembers when sessions and tokens were last used until the sweeper
// writes it down, so that no request has to. What a crash loses is less than
// the sweeper's period.
type uses struct {
	mu   sync.Mutex
	last map[useKey]time.Time
}

func newUses() *uses { return &uses{last: map[useKey]time.Time{}} }

// note remembers a use and reports whether there was room for it.
func (u *uses) note(key useKey, at time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	before, known := u.last[key]
	if !known && len(u.last) >= usesMost {
		return false
	}
	u.last[key] = later(before, at)
	return true
}

// at returns when something was last used: what is remembered, or what is
// stored if that is later.
func (u *uses) at(key useKey, stored time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return later(u.last[key], stored)
}

func (u *uses) all() map[useKey]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.last)
}

// forget drops what was written down, but not what was used since.
func (u *uses) forget(written map[useKey]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.last, func(key useKey, at time.Time) bool { return at.Equal(written[key]) })
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// used notes the use of a credential whose row says that it was used at stored.
// That it could not be noted is no reason to refuse it.
func (v *Vault) used(ctx context.Context, key useKey, stored, now time.Time) {
	if now.Sub(v.uses.at(key, stored)) < useStep || v.uses.note(key, now) {
		return
	}
	if err := v.writeUses(ctx, map[useKey]time.Time{key: now}); err != nil && ctx.Err() == nil {
		v.log.Error("noting the use of a credential", "cause", err)
	}
}

// flushUses writes down what is remembered of uses. After an error it is still
// remembered.
func (v *Vault) flushUses(ctx context.Context, _ time.Time) error {
	noted := v.uses.all()
	if len(noted) == 0 {
		return nil
	}
	if err := v.writeUses(ctx, noted); err != nil {
		return fmt.Errorf("writing down uses: %w", err)
	}
	v.uses.forget(noted)
	return nil
}

func (v *Vault) writeUses(ctx context.Context, noted map[useKey]time.Time) error {
	return v.store.Update(ctx, func(tx storage.Tx) error {
		for key, at := range noted {
			write := writeSessionUse
			if key.bucket == bucketToken {
				write = writeTokenUse
			}
			if err := write(tx, key.row, at); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

func writeSessionUse(tx storage.Tx, row [32]byte, at time.Time) error {
	record, err := getSession(tx, row)
	if err != nil || !at.After(record.used) {
		return err
	}
	record.used = at
	return tx.Put(bucketSession, row[:], record.encode())
}

func writeTokenUse(tx storage.Tx, row [32]byte, at time.Time) error {
	record, err := getToken(tx, row)
	if err != nil || !at.After(record.used) {
		return err
	}
	record.used = at
	return tx.Put(bucketToken, row[:], record.encode())
}
