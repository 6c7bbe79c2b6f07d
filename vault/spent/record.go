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

// Encode encodes a record.
func (r Record) Encode() []byte {
	w := make(rows.Writer, 0, 29+len(r.Folder))
	w.Byte(recordVersion)
	w.Bytes(r.ID[:])
	w.Uint64(r.Synced)
	w.Text(r.Folder)
	return w
}

// DecodeRecord decodes a record.
func DecodeRecord(data []byte) (Record, error) {
	in := rows.NewReader(data)
	var r Record
	in.Version(recordVersion)
	in.Into(r.ID[:])
	r.Synced, r.Folder = in.Uint64(), in.Text()
	return r, in.End()
}

// Get returns what a store knows of its log. ok is false if it uses none.
func Get(tx storage.Tx) (r Record, ok bool, err error) {
	data, err := rows.GetSystem(tx, rows.SystemSpent)
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
func Put(tx storage.Tx, r Record) error { return rows.PutSystem(tx, rows.SystemSpent, r.Encode()) }

// Drop makes a store use no log.
func Drop(tx storage.Tx) error {
	if err := rows.DeletePrefix(tx, BucketPending, nil); err != nil {
		return err
	}
	return rows.DeleteSystem(tx, rows.SystemSpent)
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
