package secret

import (
	"context"
	"errors"
	"sync"
	"time"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// look records a look at a link. If that fails, the request still succeeds.
func (se *Secrets) look(ctx context.Context, c caller.Caller, row seal.RowKey, record *Record, now time.Time) {
	if record.owner != "" && record.owner == c.Account() {
		return // owners look at their own links when they share them
	}
	network := c.Network.Masked()
	if !se.lookDedup.fresh(record.metadata, network, now) {
		return
	}
	err := se.noteEvent(ctx, row, record, EventLooked, network, now)
	gone := errors.Is(err, refusal.ErrNotFound) || errors.Is(err, refusal.ErrUnauthenticated)
	if err != nil && !gone && ctx.Err() == nil {
		se.log.Error("recording a look", "cause", err)
	}
}

// noteEvent adds an event to a timeline in its own transaction, if the secret
// is still live.
func (se *Secrets) noteEvent(ctx context.Context, row seal.RowKey, record *Record, kind EventKind, network string, now time.Time) error {
	err := se.store.Update(ctx, func(tx *rows.Tx) error {
		if _, err := getSecret(tx, row, now); err != nil {
			return err
		}
		_, err := addEvent(tx, record.metadata, kind, network, now)
		return err
	})
	if err == nil {
		se.watches.Tell(record.metadata)
	}
	return err
}

// lookDedup remembers recent looks, so that repeated requests for one link do
// not write each time. It forgets everything when it is full. That costs only a
// write: the timeline itself drops duplicates too.
type lookDedup struct {
	mu   sync.Mutex
	seen map[lookKey]time.Time
}

type lookKey struct {
	metadata seal.RowKey
	network  string
}

// lookDedupMost bounds the memory of lookDedup to about 2 MiB.
const lookDedupMost = 20_000

func newLookDedup() *lookDedup { return &lookDedup{seen: map[lookKey]time.Time{}} }

// fresh reports whether this is a network's first look within eventStep.
func (d *lookDedup) fresh(metadata seal.RowKey, network string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := lookKey{metadata, network}
	if last, ok := d.seen[key]; ok && now.Sub(last) < eventStep {
		return false
	}
	if len(d.seen) >= lookDedupMost {
		d.seen = map[lookKey]time.Time{}
	}
	d.seen[key] = now
	return true
}
