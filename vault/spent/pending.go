package spent

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/rows"
)

// BucketPending has kind (1) ‖ row -> time and tag: what has ended, and is perhaps
// not in the log yet.
//
//	version 1 │ time 8 │ tag 8
const BucketPending = "pending"

const (
	pendingVersion = 1
	// strikeBatch is the maximum number of rows that one transaction strikes off.
	strikeBatch = 1024
)

// BucketNames returns the names of the buckets of this package. Their rows belong to
// the log of a store, and not to its data.
func BucketNames() []string { return []string{BucketPending} }

func pendingKey(e rows.End) []byte { return append([]byte{e.Kind}, e.Row...) }

// pendingFields carries what is in the value of an end.
func pendingFields(e *rows.End, c *rows.Codec) {
	c.Version(pendingVersion)
	c.Time(&e.At)
	c.Bytes(e.Tag[:])
}

func encodePending(e rows.End) []byte { return rows.Encode(17, &e, pendingFields) }

func decodePending(key, value []byte) (e rows.End, err error) {
	if err := rows.Decode(value, &e, pendingFields); err != nil {
		return e, err
	}
	if len(key) < 1 || key[0] == 0 || len(key) > 1+spentlog.RowMost {
		return e, rows.ErrDamaged
	}
	e.Kind, e.Row = key[0], bytes.Clone(key[1:])
	return e, nil
}

// IsPending reports whether the store has the change that an entry is about, and
// has not struck it off: replaying the entry would undo what followed it.
func IsPending(tx storage.Tx, e spentlog.Entry) (bool, error) {
	end := rows.End{Kind: e.Kind, Row: e.Row}
	value, err := tx.Get(BucketPending, pendingKey(end))
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	stored, err := decodePending(pendingKey(end), value)
	return err == nil && stored.At.Equal(e.Time), err
}

// knows reports whether the store knows that what an entry is about has ended, and
// has not struck it off: that, or a later end of the same, is pending.
func knows(tx storage.Tx, e spentlog.Entry) (bool, error) {
	key := pendingKey(rows.End{Kind: e.Kind, Row: e.Row})
	value, err := tx.Get(BucketPending, key)
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	stored, err := decodePending(key, value)
	return err == nil && !stored.At.Before(e.Time), err
}

// StrikeUntil strikes what is in the log off the list until ctx ends, and then the
// rest.
func (l *Log) StrikeUntil(ctx context.Context) {
	if l == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			l.strikeAll()
			return
		case <-l.wake:
			l.strikeAll()
		}
	}
}

func (l *Log) strikeAll() {
	for {
		ends, failed := l.takeDurable()
		if len(ends)+len(failed) == 0 {
			return
		}
		l.striking.Lock()
		var replaced [][8]byte
		var err error
		if len(ends) > 0 {
			replaced, err = l.strike(context.Background(), ends)
		}
		l.striking.Unlock()
		if err != nil {
			l.log.Error("striking logged ends off the list; the sweeper will retry", "cause", err)
			return
		}
		l.pass(append(ends, failed...), append(replaced, tagsOf(failed)...))
	}
}

// takeDurable takes ends that may be struck off. One that has replaced an earlier end
// of the same row waits until that one is behind us: both may be logged in any order,
// and while the store has the row, an entry about it is no surprise to the next start;
// see CheckAge.
func (l *Log) takeDurable() (ends, failed []rows.End) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var later []loggedEnd
	for _, e := range l.durable {
		_, passed := l.passed[e.Replaces]
		switch {
		case len(ends)+len(failed) == strikeBatch, e.Replaces != [8]byte{} && !passed:
			later = append(later, e)
		case e.failed:
			failed = append(failed, e.End)
		default:
			ends = append(ends, e.End)
		}
	}
	l.durable = later
	return ends, failed
}

// pass notes that ends are behind us, of which some were replaced by later ones.
func (l *Log) pass(ends []rows.End, replaced [][8]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range ends {
		delete(l.passed, e.Replaces)
		delete(l.passed, e.Tag)
	}
	for _, tag := range replaced {
		l.passed[tag] = struct{}{}
	}
}

func tagsOf(ends []rows.End) (tags [][8]byte) {
	for _, e := range ends {
		tags = append(tags, e.Tag)
	}
	return tags
}

// strike deletes the rows of ends that are durable in the log. A row that names a
// later end stays, and the tag of the end that it replaced is returned.
func (l *Log) strike(ctx context.Context, ends []rows.End) (replaced [][8]byte, err error) {
	err = l.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
		replaced = nil
		for _, e := range ends {
			row, err := tx.Get(BucketPending, pendingKey(e))
			if errors.Is(err, storage.ErrNotFound) {
				continue
			}
			if err == nil && !bytes.Equal(row, encodePending(e)) {
				replaced = append(replaced, e.Tag)
				continue
			}
			if err != nil {
				return err
			}
			if err := tx.Delete(BucketPending, pendingKey(e)); err != nil {
				return err
			}
		}
		return l.PutSynced(tx)
	})
	return replaced, err
}

// LogPending logs what an earlier run left pending. It runs before the service
// starts to serve.
func (l *Log) LogPending(ctx context.Context) error {
	if l == nil {
		return nil
	}
	n, err := l.logAgain(ctx, func(string) bool { return true })
	if n > 0 {
		l.log.Info("logged ends left by the last run", "count", n)
	}
	return err
}

// LogOverdue logs what was already pending at the sweep before, since its first
// try failed. Newer ends are still in progress.
func (l *Log) LogOverdue(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.sweeping.Lock()
	defer l.sweeping.Unlock()
	before, seen := l.overdue, map[string]struct{}{}
	n, err := l.logAgain(ctx, func(key string) bool {
		seen[key] = struct{}{}
		_, again := before[key]
		return again
	})
	l.overdue = seen
	if n > 0 {
		l.log.Info("logged ends whose first try had failed", "count", n)
	}
	return err
}

// logAgain logs the pending ends whose row and value chosen accepts, and strikes
// them off.
func (l *Log) logAgain(ctx context.Context, chosen func(row string) bool) (logged int, err error) {
	var lost rows.Damage
	defer lost.Report(l.log)
	for from := []byte(nil); ; {
		n, next, err := l.logBatch(ctx, from, chosen, &lost)
		logged += n
		if err != nil {
			return logged, err
		}
		if from = next; from == nil || ctx.Err() != nil {
			return logged, ctx.Err()
		}
	}
}

// logBatch is logAgain for some rows from a key on. next is the row after them, nil
// after the last. Nothing else strikes the rows off meanwhile: the log would then
// have a second entry that the store knows nothing of any more.
func (l *Log) logBatch(ctx context.Context, from []byte, chosen func(row string) bool, lost *rows.Damage) (logged int, next []byte, err error) {
	l.striking.Lock()
	defer l.striking.Unlock()
	ends, next, err := l.listPending(ctx, from, chosen, lost)
	if err != nil || len(ends) == 0 {
		return 0, next, err
	}
	if err := l.append(entriesOf(ends)); err != nil {
		return 0, nil, err
	}
	replaced, err := l.strike(ctx, ends)
	if err != nil {
		return 0, nil, fmt.Errorf("striking logged ends off the list: %w", err)
	}
	l.pass(ends, replaced)
	return len(ends), next, nil
}

// listPending reads at most strikeBatch rows from a key on. next is the row after
// them, nil after the last. Rows that cannot be read stay.
func (l *Log) listPending(ctx context.Context, from []byte, chosen func(row string) bool, lost *rows.Damage) (ends []rows.End, next []byte, err error) {
	var damaged *rows.Damage
	var all []rows.End
	err = l.store.View(ctx, func(tx *rows.Tx) error {
		all, next, damaged = nil, nil, &rows.Damage{}
		looked := 0
		return rows.IgnoreEnough(tx.Range(BucketPending, from, nil, func(key, value []byte) error {
			if looked++; looked > strikeBatch {
				next = bytes.Clone(key)
				return rows.ErrEnough
			}
			e, err := decodePending(key, value)
			if err != nil {
				damaged.Note(BucketPending, err)
				return nil
			}
			all = append(all, e)
			return nil
		}))
	})
	if err != nil {
		return nil, nil, err
	}
	lost.Add(damaged)
	for _, e := range all {
		if chosen(string(pendingKey(e)) + string(encodePending(e))) {
			ends = append(ends, e)
		}
	}
	return ends, next, nil
}
