package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hush/storage"
)

// dueKind says what a row of the index of due things is about. The numbers are
// stored.
type dueKind byte

const (
	dueSession   dueKind = 1  // key: the session's row
	dueToken     dueKind = 2  // key: the API token's row
	dueTicket    dueKind = 3  // key: the ticket's row
	dueSpent     dueKind = 4  // key: that of a spent challenge
	dueFeedback  dueKind = 5  // key: its sequence number
	dueException dueKind = 6  // key: its sequence number
	dueTombstone dueKind = 7  // key: the account's id
	dueTries     dueKind = 8  // key: that of the counter
	dueDelivery  dueKind = 9  // key: that of the delivery
	duePending   dueKind = 10 // key: the account's id
)

// dueKey is a row of the index: time in ms 8 ‖ kind 1 ‖ key.
func dueKey(at time.Time, kind dueKind, key []byte) []byte {
	row := append(bigEndian(millis(at)), byte(kind))
	return append(row, key...)
}

// putDue asks for the end of something at a time. When it comes the kind's
// ending looks at the thing itself: one whose time has moved on is asked for
// again, so that nobody has to find old rows of the index.
func putDue(tx storage.Tx, at time.Time, kind dueKind, key []byte) error {
	return tx.Put(bucketDue, dueKey(at, kind, key), nil)
}

// ending ends one thing whose time has come. It returns when to look again, or
// the zero time for never. A thing that is gone already is no error.
type ending func(tx storage.Tx, key []byte, now time.Time) (next time.Time, err error)

// endings is the table of what ends by the index.
func (v *Vault) endings() map[dueKind]ending {
	return map[dueKind]ending{
		dueSession:   v.endSession,
		dueToken:     v.endToken,
		dueTicket:    v.endTicket,
		dueSpent:     v.endSpent,
		dueFeedback:  v.endFeedback,
		dueException: v.endException,
		dueTombstone: v.endTombstone,
		dueTries:     v.endTries,
		dueDelivery:  v.endDelivery,
		duePending:   v.endPending,
	}
}

// bucket is where things of a kind are kept, for the log.
func (k dueKind) bucket() string {
	return map[dueKind]string{
		dueSession: bucketSession, dueToken: bucketToken, dueTicket: bucketTicket, dueSpent: bucketSpent,
		dueFeedback: bucketFeedback, dueException: bucketException, dueTombstone: bucketAccount,
		dueTries: bucketTries, dueDelivery: bucketDelivery, duePending: bucketAccount,
	}[k]
}

// sweepDueBatch ends some of what the index says is due.
func (v *Vault) sweepDueBatch(ctx context.Context, now time.Time, lost *unread) (int, error) {
	var keys [][]byte
	err := v.store.View(ctx, func(tx storage.Tx) error {
		keys = nil
		return ignoreEnough(tx.Range(bucketDue, nil, bigEndian(millis(now)+1), func(key, _ []byte) error {
			keys = append(keys, append([]byte(nil), key...))
			if len(keys) == sweepBatch {
				return errEnough
			}
			return nil
		}))
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	endings := v.endings()
	err = apart(keys, func(keys [][]byte) error {
		var damaged *unread
		err := v.store.UpdateReserved(ctx, func(tx storage.Tx) error {
			damaged = &unread{}
			for _, key := range keys {
				if err := endDue(tx, endings, key, now, damaged); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			lost.add(damaged)
		}
		return err
	}, func(key []byte, cause error) error {
		lost.note(dueKind(key[8]).bucket(), cause)
		return v.store.UpdateReserved(ctx, func(tx storage.Tx) error { return putOffDue(tx, key, now.Add(damagedPause)) })
	})
	if err != nil {
		return 0, fmt.Errorf("ending what is due: %w", err)
	}
	return len(keys), nil
}

// endDue handles one row. What cannot be read is put off, so that it keeps
// nothing else from its end; a row that is none goes.
func endDue(tx storage.Tx, endings map[dueKind]ending, row []byte, now time.Time, lost *unread) error {
	if len(row) <= 9 {
		lost.note(bucketDue, errDamaged)
		return tx.Delete(bucketDue, row)
	}
	end := endings[dueKind(row[8])]
	if end == nil {
		lost.note(bucketDue, errDamaged)
		return putOffDue(tx, row, now.Add(damagedPause))
	}
	var next time.Time
	err := tryRow(tx, func(tx storage.Tx) (err error) {
		next, err = end(tx, row[9:], now)
		return err
	})
	switch {
	case errors.Is(err, errHalfDone):
		return err
	case unreadable(err):
		lost.note(dueKind(row[8]).bucket(), err)
		next = now.Add(damagedPause)
	case err != nil:
		return err
	}
	return putOffDue(tx, row, next)
}

// putOffDue moves a row of the index; the zero time takes it out.
func putOffDue(tx storage.Tx, row []byte, next time.Time) error {
	if err := tx.Delete(bucketDue, row); err != nil || next.IsZero() {
		return err
	}
	return putDue(tx, next, dueKind(row[8]), row[9:])
}
