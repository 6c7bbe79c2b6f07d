package spent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/cluster"
	"hush/vault/refusal"
	"hush/vault/rows"
)

// margin is how much longer than the longest lifetime of a secret entries are
// kept.
const margin = 7 * 24 * time.Hour

// Log is the log that a store uses. A nil Log logs nothing. It is safe for
// concurrent use.
type Log struct {
	store  cluster.Store
	clock  *cluster.Clock
	file   *spentlog.Log
	log    *slog.Logger
	record Record // its Synced is that of the start
	keep   time.Duration
	wake   chan struct{}

	mu      sync.Mutex
	durable []loggedEnd // in the log, and still pending in the store
	// passed has the tags of ends that a later end of the same row has replaced, and
	// that are behind us, until that one is struck off.
	passed map[[8]byte]struct{}

	striking sync.Mutex // held while rows are struck off
	sweeping sync.Mutex
	overdue  map[string]struct{} // pending at the last sweep; guarded by sweeping
}

// Options are what New needs; all are required.
type Options struct {
	Store cluster.Store
	Clock *cluster.Clock
	Log   *slog.Logger
	// File is the log that Check accepted with Record; nil for none.
	File   *spentlog.Log
	Record Record
	// Longest is the longest lifetime of a secret.
	Longest time.Duration
}

// New returns the log of a store, nil if it uses none.
func New(o Options) *Log {
	if o.File == nil {
		return nil
	}
	return &Log{
		store: o.Store, clock: o.Clock, file: o.File, log: o.Log, record: o.Record, keep: o.Longest + margin,
		wake: make(chan struct{}, 1), overdue: map[string]struct{}{}, passed: map[[8]byte]struct{}{},
	}
}

// errFull refuses to end what could not be logged.
var errFull = fmt.Errorf("the disk of the spent log is full: %w", storage.ErrFull)

// Admit returns ErrUnavailable while the log has no room for what would end. It is
// called in the transaction that ends something, so that nothing does.
func (l *Log) Admit() error {
	if l == nil || l.file.HasRoom() {
		return nil
	}
	return refusal.Unavailable(errFull)
}

// Slots logs that the secrets of slots have ended, and returns when that is
// durable. An expired secret needs no entry if there is no room: what a backup has
// of it has expired as well.
func (l *Log) Slots(kind Kind, slots ...storage.Slot) error {
	if l == nil || kind == KindNone || len(slots) == 0 || kind == KindSecretExpired && !l.file.HasRoom() {
		return nil
	}
	now := l.clock.Now()
	entries := make([]spentlog.Entry, len(slots))
	for i, slot := range slots {
		entries[i] = spentlog.Entry{Time: now, Kind: byte(kind), Row: slotRow(slot)}
	}
	return l.append(entries)
}

func (l *Log) append(entries []spentlog.Entry) error {
	if err := l.file.Append(entries...); err != nil {
		return fmt.Errorf("writing the spent log: %w", refusal.Unavailable(err))
	}
	return nil
}

// PutSynced stores how far the log is durable, in a transaction that strikes off
// what it has.
func (l *Log) PutSynced(tx *rows.Tx) error {
	if l == nil {
		return nil
	}
	r := l.record
	_, r.Synced = l.file.Position()
	return Put(tx, r)
}

// Pend implements rows.EndLog. A session needs no entry if there is no room: a restore
// ends all sessions.
func (l *Log) Pend(tx *rows.Tx, e rows.End) (rows.End, bool, error) {
	if err := l.Admit(); err != nil {
		if Kind(e.Kind) == KindSessionEnded {
			err = nil
		}
		return e, false, err
	}
	if e.At.IsZero() {
		e.At = l.clock.Now()
	}
	_, _ = rand.Read(e.Tag[:]) // never fails: it ends the process instead
	earlier, err := tx.Get(BucketPending, pendingKey(e))
	if err == nil {
		var replaced rows.End
		if replaced, err = decodePending(pendingKey(e), earlier); err == nil {
			e.Replaces = replaced.Tag
		} else if rows.IsDamage(err) {
			err = nil // it goes
		}
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return e, false, err
	}
	return e, true, tx.Put(BucketPending, pendingKey(e), encodePending(e))
}

// Follow implements rows.EndLog.
func (l *Log) Follow(ends []rows.End) error {
	err := l.append(entriesOf(ends))
	l.mu.Lock()
	for _, e := range ends {
		l.durable = append(l.durable, loggedEnd{e, err != nil})
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return err
}

// loggedEnd is an end whose logging is over.
type loggedEnd struct {
	rows.End
	failed bool // it is not in the log; its row stays for the sweeper
}

func entriesOf(ends []rows.End) []spentlog.Entry {
	entries := make([]spentlog.Entry, len(ends))
	for i, e := range ends {
		entries[i] = spentlog.Entry{Time: e.At, Kind: e.Kind, Row: e.Row}
	}
	return entries
}

// Prune deletes what is older than any backup could need: older than the longest
// lifetime of a secret, with a margin. It is a sweep.Batch.
func (l *Log) Prune(_ context.Context, now time.Time, _ *rows.Damage) (int, error) {
	if l == nil {
		return 0, nil
	}
	if _, err := l.file.Prune(now.Add(-l.keep)); err != nil {
		return 0, err
	}
	return 0, nil
}

// IsFull reports whether an error only says that the log has no room at present.
func IsFull(err error) bool {
	return errors.Is(err, storage.ErrFull) && !errors.Is(err, storage.ErrUnknownOutcome)
}
