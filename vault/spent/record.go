package spent

import (
	"context"
	"errors"
	"fmt"

	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/rows"
)

const recordVersion = 1

// The rows of the bucket system that have a Record: of the log that the store uses, and
// of one that a start has begun.
const (
	SystemLog   = "spent log"
	SystemBegun = "spent log begun"
)

// Record is what a store knows of its log.
//
//	version 1 │ log id 16 │ synced 8 │ folder (4, text)
type Record struct {
	ID spentlog.ID
	// Synced is a sequence that is durable in the log. The log has all ends up to
	// it, whatever happens to the store.
	Synced uint64
	// Folder is where the log was last; for people, and for stopping it.
	Folder string
}

func (r *Record) fields(c *rows.Codec) {
	c.Version(recordVersion)
	c.Bytes(r.ID[:])
	c.Uint64(&r.Synced)
	c.Text(&r.Folder)
}

// Encode encodes a record.
func (r Record) Encode() []byte { return rows.Encode(29+len(r.Folder), &r, (*Record).fields) }

// DecodeRecord decodes a record.
func DecodeRecord(data []byte) (r Record, err error) {
	err = rows.Decode(data, &r, (*Record).fields)
	return r, err
}

// Get returns what a store knows of its log. ok is false if it uses none.
func Get(tx storage.Tx) (r Record, ok bool, err error) {
	return get(tx, SystemLog)
}

func get(tx storage.Tx, row string) (r Record, ok bool, err error) {
	data, err := rows.GetSystem(tx, row)
	if errors.Is(err, storage.ErrNotFound) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, err
	}
	r, err = DecodeRecord(data)
	return r, err == nil, err
}

// Put makes a store use a log. The log must be new, or have the entry Synced about
// the store.
func Put(tx storage.Tx, r Record) error { return rows.PutSystem(tx, SystemLog, r.Encode()) }

// getBegun returns the log that a start was about to begin when it ended, and that the
// store does not use yet. It may not be there.
func getBegun(tx storage.Tx) (r Record, ok bool, err error) { return get(tx, SystemBegun) }

func putBegun(tx storage.Tx, r Record) error {
	return rows.PutSystem(tx, SystemBegun, r.Encode())
}

func dropBegun(tx storage.Tx) error { return rows.DeleteSystem(tx, SystemBegun) }

// Drop makes a store use no log.
func Drop(tx storage.Tx) error {
	if err := rows.DeletePrefix(tx, BucketPending, nil); err != nil {
		return err
	}
	return errors.Join(rows.DeleteSystem(tx, SystemLog), dropBegun(tx))
}

// Find is Get in a transaction of its own.
func Find(ctx context.Context, store storage.Store) (r Record, ok bool, err error) {
	err = store.View(ctx, func(tx storage.Tx) error {
		r, ok, err = Get(tx)
		return err
	})
	return r, ok, err
}

// The errors of a log that does not fit the store.
var (
	// ErrMissing: the store uses a log, and none was given.
	ErrMissing = errors.New("the data has a spent log, which is missing")
	// ErrOther: the log is not the one that the store uses.
	ErrOther = errors.New("the spent log belongs to other data")
	// ErrBehind: the log ends before an entry that was durable in it.
	ErrBehind = errors.New("the spent log is older than the data")
	// ErrOlder: the log has ends that the store knows nothing of.
	ErrOlder = errors.New("the data is older than its spent log")
	// ErrReplaced: the log belongs to data that was restored in place of the store.
	ErrReplaced = errors.New("a restored backup has replaced the data")
)

// Check returns an error unless the log is the one that the store uses, with all
// its entries. A nil log is for a store without one.
func Check(tx storage.Tx, log *spentlog.Log) (r Record, err error) {
	r, used, err := Get(tx)
	switch {
	case err != nil:
		return r, err
	case log == nil && used:
		return r, fmt.Errorf("%w: it is %s, which was last in %s", ErrMissing, r.ID, r.Folder)
	case log == nil:
		return r, nil
	}
	id, last := log.Position()
	if !used || id != r.ID {
		return r, ErrOther
	}
	if last < r.Synced {
		return r, fmt.Errorf("%w: it ends with entry %d, and had %d", ErrBehind, last, r.Synced)
	}
	return r, nil
}

// CheckAge returns an error if the store is an earlier copy of the one that the log
// belongs to: ErrOlder, ErrReplaced or ErrStopped. r is what Check returned, and
// listed reports whether a share is on the list of those to be destroyed.
//
// An end is durable in the store before its entry is written. It is struck off by a
// transaction that stores a sequence not before that of the entry. So whatever a
// crash leaves, each entry after that sequence names what the store has not struck
// off.
func CheckAge(tx storage.Tx, log *spentlog.Log, r Record, listed func(storage.Tx, storage.Slot) (bool, error)) error {
	_, last := log.Position()
	if last == r.Synced {
		return nil
	}
	var older error
	err := log.Reader().All(r.Synced, func(e spentlog.Entry) error {
		if older != nil && Kind(e.Kind) != KindRestored {
			return nil
		}
		known, err := isKnown(tx, e, listed)
		if err == nil && !known && older == nil {
			older = fmt.Errorf("%w: it knows entry %d, and nothing of what ended with entry %d of %d", ErrOlder, r.Synced, e.Sequence, last)
		}
		return err // of an entry that says even more
	})
	if errors.Is(err, spentlog.ErrPruned) {
		return fmt.Errorf("%w: %w", ErrOlder, err)
	}
	if err != nil {
		return err
	}
	return older
}

// isKnown reports whether the store knows that what an entry is about has ended.
// Of entries that are about the log itself it returns ErrReplaced or ErrStopped.
func isKnown(tx storage.Tx, e spentlog.Entry, listed func(storage.Tx, storage.Slot) (bool, error)) (bool, error) {
	if slot, ok := SlotOf(e); ok {
		return listed(tx, slot)
	}
	switch Kind(e.Kind) {
	case KindRestored:
		known, err := knows(tx, e) // by the restored data itself
		if err == nil && !known {
			err = fmt.Errorf("%w, as entry %d says: serve that one; if it is lost, restore a backup that was made after it", ErrReplaced, e.Sequence)
		}
		return known, err
	case KindStopped:
		return false, ErrStopped
	default:
		return knows(tx, e)
	}
}
