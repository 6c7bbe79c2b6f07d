package bolt

import (
	"context"
	"errors"

	"go.etcd.io/bbolt"

	"hush/storage"
)

// snapshotStep is how many rows a snapshot reads between two looks at whether
// it must end.
const snapshotStep = 1024

// ErrSnapshotTooLong reports that a snapshot was ended because the disk is
// running full while it holds back the database's free pages.
var ErrSnapshotTooLong = errors.New("bolt: the disk ran full while the database was being read")

// Snapshot is a consistent view of all rows of a database. It is valid until the
// fn of Store.Snapshot returns.
type Snapshot struct {
	store *Store
	bolt  *bbolt.Tx
	full  bool // the disk was full when the snapshot began
}

// Snapshot runs fn on a consistent view of all rows. While it runs, the pages
// that updates free are not used again, so the database grows by what is
// written: fn must not wait for long.
func (s *Store) Snapshot(ctx context.Context, fn func(*Snapshot) error) error {
	if err := s.admit(ctx); err != nil {
		return err
	}
	s.space.BeginSnapshot()
	defer s.space.EndSnapshot()
	full := s.space.IsLow()
	return s.view(func(btx *bbolt.Tx) error {
		return fn(&Snapshot{store: s, bolt: btx, full: full})
	})
}

// Bytes returns the length of the database with its free pages.
func (s *Snapshot) Bytes() int64 { return s.bolt.Size() }

// Rows calls fn for each row of every bucket, in the order of the names of the
// buckets and of the keys. The slices are valid only during the call. It ends
// with the error of the context, with ErrSnapshotTooLong, or with that of fn.
func (s *Snapshot) Rows(ctx context.Context, fn func(bucket string, key, value []byte) error) error {
	rows := 0
	return s.bolt.ForEach(func(name []byte, b *bbolt.Bucket) error {
		bucket := string(name)
		if !validBucket(bucket) {
			return nil
		}
		return b.ForEach(func(key, value []byte) error {
			if rows++; rows%snapshotStep == 0 {
				if err := s.mayGoOn(ctx); err != nil {
					return err
				}
			}
			return fn(bucket, key, value)
		})
	})
}

func (s *Snapshot) mayGoOn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.store.fault.Check(); err != nil {
		return err
	}
	if !s.full && s.store.space.IsLow() {
		return ErrSnapshotTooLong
	}
	return nil
}

// View implements storage.Viewer, on the rows of the snapshot. Its Range ends as Rows does.
func (s *Snapshot) View(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.mayGoOn(ctx); err != nil {
		return err
	}
	t := snapshotTx{Tx: Tx{bolt: s.bolt}, goOn: func() error { return s.mayGoOn(ctx) }}
	defer func() { t.bolt = nil }()
	return fn(&t)
}

// snapshotTx is a transaction that looks now and then at whether it must end.
type snapshotTx struct {
	Tx

	rows int
	goOn func() error
}

// Range implements storage.Tx.
func (t *snapshotTx) Range(bucket string, from, to []byte, fn func(key, value []byte) error) error {
	return t.Tx.Range(bucket, from, to, func(key, value []byte) error {
		if t.rows++; t.rows%snapshotStep == 0 {
			if err := t.goOn(); err != nil {
				return err
			}
		}
		return fn(key, value)
	})
}

// Buckets returns the names of the buckets, without the store's own.
func (s *Snapshot) Buckets() ([]string, error) { return BucketNames(s.bolt) }
