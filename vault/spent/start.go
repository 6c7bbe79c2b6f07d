package spent

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/storage/spentlog"
	"hush/vault/rows"
)

// Open opens the log of a store in a folder. If the store uses none yet, or mayBegin
// and the folder has none, it begins a new one there, and began is true. It returns
// ErrMissing, ErrOther, ErrBehind, or an error of package spentlog.
func Open(ctx context.Context, store storage.Store, folder string, mayBegin bool, opts spentlog.Options) (log *spentlog.Log, began bool, err error) {
	r, used, err := Find(ctx, store)
	if err != nil {
		return nil, false, err
	}
	if !used {
		log, err := begin(ctx, store, folder, opts)
		return log, err == nil, err
	}
	if mayBegin {
		if log, err = takeBegun(ctx, store, folder, opts); log != nil || err != nil {
			if err == nil {
				_ = stopIn(r)
			}
			return log, err == nil, err
		}
	}
	log, err = spentlog.Open(folder, opts)
	switch {
	case errors.Is(err, spentlog.ErrNoLog) && mayBegin:
		log, err := begin(ctx, store, folder, opts)
		if err == nil {
			_ = stopIn(r)
		}
		return log, err == nil, err
	case errors.Is(err, spentlog.ErrNoLog):
		return nil, false, fmt.Errorf("%w: there is none in %s", ErrMissing, folder)
	case err != nil:
		return nil, false, err
	}
	err = store.View(ctx, func(tx storage.Tx) error {
		_, err := Check(tx, log)
		return err
	})
	if err == nil && r.Folder != folder {
		err = put(ctx, store, Record{ID: r.ID, Synced: r.Synced, Folder: folder})
	}
	if err == nil {
		return log, false, nil
	}
	return nil, false, errors.Join(err, log.Close())
}

// begin begins a new log, or takes the one that an earlier start has begun. The store
// knows its id before it is there, so that no log of another store is taken for one
// that a crash has left.
func begin(ctx context.Context, store storage.Store, folder string, opts spentlog.Options) (*spentlog.Log, error) {
	if log, err := takeBegun(ctx, store, folder, opts); log != nil || err != nil {
		return log, err
	}
	// A folder that is refused must not make the store forget a log in another one.
	if err := spentlog.CheckNew(folder); err != nil {
		return nil, err
	}
	opts.ID = spentlog.NewID()
	r := Record{ID: opts.ID, Folder: folder}
	err := store.Update(ctx, func(tx storage.Tx) error { return putBegun(tx, r) })
	if err != nil {
		return nil, err
	}
	log, err := spentlog.Create(folder, opts)
	if err != nil {
		return nil, err
	}
	return use(ctx, store, log, r)
}

// takeBegun takes the log in a folder if an earlier start of this store has begun it
// there, and a crash kept it from being used. It returns nil if there is none.
func takeBegun(ctx context.Context, store storage.Store, folder string, opts spentlog.Options) (*spentlog.Log, error) {
	var r Record
	var begun bool
	err := store.View(ctx, func(tx storage.Tx) (err error) {
		r, begun, err = getBegun(tx)
		return err
	})
	if err != nil || !begun {
		return nil, err
	}
	log, err := spentlog.Open(folder, opts)
	if errors.Is(err, spentlog.ErrNoLog) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if id, entries := log.Position(); id != r.ID || entries > 0 {
		return nil, log.Close()
	}
	return use(ctx, store, log, Record{ID: r.ID, Folder: folder})
}

// use makes a store use a log that it has begun.
func use(ctx context.Context, store storage.Store, log *spentlog.Log, r Record) (*spentlog.Log, error) {
	err := store.Update(ctx, func(tx storage.Tx) error { return errors.Join(Put(tx, r), dropBegun(tx)) })
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

func put(ctx context.Context, store storage.Store, r Record) error {
	return store.Update(ctx, func(tx storage.Tx) error { return Put(tx, r) })
}

// Stop makes a store use no log. The log is told, so that it is not taken for one
// that goes on; left is why it could not be.
func Stop(ctx context.Context, store storage.Store) (stopped bool, left, err error) {
	r, used, err := Find(ctx, store)
	if err != nil || !used {
		return false, nil, err
	}
	left = stopIn(r)
	return true, left, store.Update(ctx, Drop)
}

// stopIn ends a log where it was last.
func stopIn(r Record) error {
	log, err := spentlog.Open(r.Folder, spentlog.Options{})
	if err != nil {
		return err
	}
	if id, _ := log.Position(); id != r.ID {
		return errors.Join(ErrOther, log.Close())
	}
	err = log.Append(spentlog.Entry{Time: time.Now(), Kind: byte(KindStopped)})
	return errors.Join(err, log.Close())
}

// Adopt makes a restored store use the log that was replayed on it. The store then
// has it pending to tell the log so: Restored does, and otherwise the next start,
// before it serves. The log itself is not changed, so a restore that is given up after
// this leaves everything as it was. after is the sequence of the backup.
func Adopt(ctx context.Context, store storage.Store, log *spentlog.Log, folder string, after uint64, now time.Time) error {
	id, last := log.Position()
	e := restoredEnd(after, now)
	return store.Update(ctx, func(tx storage.Tx) error {
		if err := tx.Put(BucketPending, pendingKey(e), encodePending(e)); err != nil {
			return err
		}
		return errors.Join(Put(tx, Record{ID: id, Synced: last, Folder: folder}), dropBegun(tx))
	})
}

func restoredEnd(after uint64, now time.Time) rows.End {
	return rows.End{Kind: byte(KindRestored), Row: binary.BigEndian.AppendUint64(nil, after), At: now.Truncate(time.Millisecond)}
}

// Restored tells the log that the restored data takes the place of what it was about.
// It is for the moment when that data can be served. From here on the log belongs to
// it, and no longer to the data that it replaces.
func Restored(log *spentlog.Log, after uint64, now time.Time) error {
	return log.Append(entriesOf([]rows.End{restoredEnd(after, now)})...)
}

// Settle tells a store what Restored has told its log.
func Settle(ctx context.Context, store storage.Store, log *spentlog.Log, after uint64, now time.Time) error {
	return store.Update(ctx, func(tx storage.Tx) error {
		r, used, err := Get(tx)
		if err != nil || !used {
			return err
		}
		_, r.Synced = log.Position()
		if err := tx.Delete(BucketPending, pendingKey(restoredEnd(after, now))); err != nil {
			return err
		}
		return Put(tx, r)
	})
}

// The errors of a log that does not continue a backup.
var (
	// ErrAbandoned: the backup is of data that a restored backup has replaced.
	ErrAbandoned = errors.New("the backup was made of data that was given up: an older backup was restored in its place, and is the data from then on")
	// ErrStopped: the data was served without the log after the backup was made.
	ErrStopped = errors.New("the spent log was given up: what ended after that is not in it")
)

// Continues returns an error unless the log has every end after a sequence that
// its store had acknowledged: of a backup with that log and sequence. It returns
// ErrOther, ErrBehind, ErrAbandoned, ErrStopped, or an error of package spentlog.
func Continues(log *spentlog.Reader, id spentlog.ID, after uint64) error {
	if log.ID() != id {
		return fmt.Errorf("%w: it is %s, and the backup was made with %s", ErrOther, log.ID(), id)
	}
	if log.Last() < after {
		return fmt.Errorf("%w: it ends with entry %d, and the backup has %d", ErrBehind, log.Last(), after)
	}
	return log.All(after, func(e spentlog.Entry) error {
		kind := Kind(e.Kind)
		if kind == KindStopped {
			return ErrStopped
		}
		if kind == KindRestored && len(e.Row) == 8 && binary.BigEndian.Uint64(e.Row) < after {
			return ErrAbandoned
		}
		return nil
	})
}
