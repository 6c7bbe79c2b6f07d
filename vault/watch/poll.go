package watch

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"log/slog"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/rows"
)

// pollLeast and pollMost bound the time between two polls. Each pause is random,
// so that nodes do not poll at the same time. A change on another node whose
// notification is lost shows after pollMost at the latest.
const (
	pollLeast = 2 * time.Second
	pollMost  = 4 * time.Second
	// pollGap is the least time between the end of a poll and the next. Others who
	// may connect to the database can ask for polls.
	pollGap = 250 * time.Millisecond
)

// Receipt is the receipt that a watch shows.
type Receipt struct {
	Row     seal.RowKey
	Expires time.Time // of the secret
	Reads   []RowOf   // what the receipt consists of, and what lets the caller see it
}

// shown is what a watch shows: a receipt, to a caller.
type shown struct {
	row     seal.RowKey
	expires time.Time // of the secret
	account string    // the caller's; empty without one
	reads   []RowOf   // what changes if the watch has something to show
}

// RowOf is a row of a bucket of any package.
type RowOf struct{ Bucket, Key string }

// fingerprint identifies the values of a watch's rows; zero before the first
// poll.
type fingerprint [sha256.Size]byte

func newShown(r Receipt, c caller.Caller) shown {
	return shown{row: r.Row, expires: r.Expires, account: c.Account(), reads: r.Reads}
}

// Reread polls soon, because notifications may be lost.
func (ws *Watches) Reread() {
	select {
	case ws.reread <- struct{}{}:
	default:
	}
}

// PollUntil polls every few seconds until ctx ends. Only nodes of a shared store
// need it: on a store of its own the process misses nothing.
func (ws *Watches) PollUntil(ctx context.Context, log *slog.Logger) {
	for {
		timer := time.NewTimer(pollPause() - pollGap)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-ws.reread:
			timer.Stop()
		case <-timer.C:
		}
		if err := ws.Poll(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			log.Error("reading what watches show", "cause", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollGap):
		}
	}
}

func pollPause() time.Duration {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return pollLeast + time.Duration(binary.BigEndian.Uint64(random[:])%uint64(pollMost-pollLeast+1))
}

// Poll reads what all open watches show, in one transaction, and wakes those for
// which it changed since the last poll: on this or another node, or by expiry.
// It wakes a watch that it sees for the first time. Without open watches it
// reads nothing.
func (ws *Watches) Poll(ctx context.Context) error {
	ws.polling.Lock()
	defer ws.polling.Unlock()
	open := ws.open()
	if len(open) == 0 {
		return nil
	}
	now := ws.clock.Now()
	values, err := ws.readAll(ctx, open)
	if err != nil {
		return err
	}
	for _, l := range open {
		seen, expired := l.fingerprint(values), !now.Before(l.expires)
		if seen != l.seen || expired && !l.expired {
			l.wake()
		}
		l.seen, l.expired = seen, expired
	}
	return nil
}

func (ws *Watches) open() []*Listener {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var open []*Listener
	for _, all := range ws.rows {
		for l := range all {
			open = append(open, l)
		}
	}
	return open
}

// readAll returns the values of all rows that watches depend on; nil for a
// missing one.
func (ws *Watches) readAll(ctx context.Context, open []*Listener) (values map[RowOf][]byte, err error) {
	keys := map[string][][]byte{}
	known := map[RowOf]bool{}
	for _, l := range open {
		for _, at := range l.reads {
			if !known[at] {
				known[at] = true
				keys[at.Bucket] = append(keys[at.Bucket], []byte(at.Key))
			}
		}
	}
	err = ws.store.View(ctx, func(tx *rows.Tx) error {
		values = make(map[RowOf][]byte, len(known))
		for bucket, all := range keys {
			found, err := tx.GetMany(bucket, all)
			if err != nil {
				return err
			}
			for i, key := range all {
				values[RowOf{bucket, string(key)}] = found[i]
			}
		}
		return nil
	})
	return values, err
}

func (w *shown) fingerprint(values map[RowOf][]byte) fingerprint {
	var all []byte
	for _, at := range w.reads {
		value := values[at]
		size := uint64(len(value)) + 1
		if value == nil {
			size = 0
		}
		all = append(binary.BigEndian.AppendUint64(all, size), value...)
	}
	return sha256.Sum256(all)
}
