package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/storage"
	"hush/vault/cluster"
	"hush/vault/rows"
)

// BucketDue is the index of what ends when; see DueKey.
const BucketDue = "due"

// DueKind is the kind of a due thing. The numbers are stored.
type DueKind byte

// The kinds of things that end. Their numbers are stored.
const (
	DueSession   DueKind = 1  // key: the session's row
	DueToken     DueKind = 2  // key: the API token's row
	DueTicket    DueKind = 3  // key: the ticket's row
	DueSpent     DueKind = 4  // key: the spent challenge
	DueFeedback  DueKind = 5  // key: the sequence number
	DueException DueKind = 6  // key: the sequence number
	DueTombstone DueKind = 7  // key: the account's id
	DueTries     DueKind = 8  // key: the counter
	DueDelivery  DueKind = 9  // key: the delivery
	DuePending   DueKind = 10 // key: the account's id
	DueBudget    DueKind = 11 // key: the budget
	DueRequest   DueKind = 12 // key: the request's row

	// DueLast is the last of them.
	DueLast = DueRequest
)

// DueKey returns a row of the index: time in ms 8 ‖ kind 1 ‖ key.
func DueKey(at time.Time, kind DueKind, key []byte) []byte {
	row := append(rows.BigEndian(rows.Millis(at)), byte(kind))
	return append(row, key...)
}

// PutDue schedules the end of something. At that time the kind's endFunc checks
// the thing itself: one whose time has moved is scheduled again, so that no
// code has to find old rows of the index.
func PutDue(tx storage.Tx, at time.Time, kind DueKind, key []byte) error {
	return tx.Put(BucketDue, DueKey(at, kind, key), nil)
}

// endFunc ends one thing that is due. It returns when to check it again, or the
// zero time for never. A missing thing is not an error.
type endFunc func(tx *rows.Tx, key []byte, now time.Time) (next time.Time, err error)

// DueThing is how the index handles a kind.
type DueThing struct {
	Bucket string // where things of the kind are stored, for the log
	End    endFunc
}

// DueIndex ends what is due, by kind.
type DueIndex struct {
	store cluster.Store
	kinds map[DueKind]DueThing
}

// NewDueIndex returns the index of a store with the given kinds.
func NewDueIndex(s cluster.Store, kinds map[DueKind]DueThing) *DueIndex { return &DueIndex{s, kinds} }

// SweepBatch ends a batch of due things.
func (d *DueIndex) SweepBatch(ctx context.Context, now time.Time, lost *rows.Damage) (int, error) {
	var keys [][]byte
	err := d.store.View(ctx, func(tx *rows.Tx) (err error) {
		keys, err = rows.FirstKeys(tx, BucketDue, rows.BigEndian(rows.Millis(now)+1), rows.SweepBatch)
		return err
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	err = rows.Apart(keys, func(keys [][]byte) error {
		var damaged *rows.Damage
		err := d.store.UpdateReserved(ctx, func(tx *rows.Tx) error {
			damaged = &rows.Damage{}
			for _, key := range keys {
				if err := d.endOne(tx, key, now, damaged); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			lost.Add(damaged)
		}
		return err
	}, func(key []byte, cause error) error {
		lost.Note(d.kinds[DueKind(key[8])].Bucket, cause)
		return d.store.UpdateReserved(ctx, func(tx *rows.Tx) error { return putOffDue(tx, key, now.Add(DamagedPause)) })
	})
	if err != nil {
		return 0, fmt.Errorf("ending due things: %w", err)
	}
	return len(keys), nil
}

// endOne handles one row. A record that cannot be read is postponed, so that it
// does not hold up the others. A malformed row is deleted.
func (d *DueIndex) endOne(tx *rows.Tx, row []byte, now time.Time, lost *rows.Damage) error {
	if len(row) <= 9 {
		lost.Note(BucketDue, rows.ErrDamaged)
		return tx.Delete(BucketDue, row)
	}
	known, ok := d.kinds[DueKind(row[8])]
	if !ok {
		lost.Note(BucketDue, rows.ErrDamaged)
		return putOffDue(tx, row, now.Add(DamagedPause))
	}
	var next time.Time
	err := rows.Try(tx, func() (err error) {
		next, err = known.End(tx, row[9:], now)
		return err
	})
	switch {
	case errors.Is(err, rows.ErrHalfDone):
		return err
	case rows.IsDamage(err):
		lost.Note(known.Bucket, err)
		next = now.Add(DamagedPause)
	case err != nil:
		return err
	}
	return putOffDue(tx, row, next)
}

// putOffDue moves a row of the index; the zero time deletes it.
func putOffDue(tx storage.Tx, row []byte, next time.Time) error {
	if err := tx.Delete(BucketDue, row); err != nil || next.IsZero() {
		return err
	}
	return PutDue(tx, next, DueKind(row[8]), row[9:])
}

// Buckets returns the buckets of this package.
func Buckets() []rows.Bucket {
	return []rows.Bucket{{Name: BucketDue, Check: rows.CheckIndex(10)}}
}
