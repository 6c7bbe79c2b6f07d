package rows

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
)

// Damage counts the records that a sweep could not read by bucket, so that the
// log has one line per bucket.
type Damage struct {
	mu      sync.Mutex
	buckets map[string]unreadBucket
}

type unreadBucket struct {
	count int
	cause error // of the last record
}

// Note counts one record.
func (u *Damage) Note(bucket string, cause error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.buckets == nil {
		u.buckets = map[string]unreadBucket{}
	}
	u.buckets[bucket] = unreadBucket{u.buckets[bucket].count + 1, cause}
}

// Add adds the counts of other, whose transaction was committed.
func (u *Damage) Add(other *Damage) {
	for bucket, b := range other.buckets {
		for range b.count {
			u.Note(bucket, b.cause)
		}
	}
}

// Report logs the counts. It never logs a key.
func (u *Damage) Report(log *slog.Logger) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, bucket := range slices.Sorted(maps.Keys(u.buckets)) {
		b := u.buckets[bucket]
		log.Error("records cannot be read and were skipped", "bucket", bucket, "count", b.count, "cause", b.cause)
	}
}

// IsDamage reports whether err is about a record that cannot be read.
func IsDamage(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrInconsistent) }

// ErrHalfDone reports that damage was found after a write, so the transaction
// must not be committed.
var ErrHalfDone = errors.New("damage after a write")

// Try runs end, which handles one row of an index. If end finds damage before
// it writes, Try returns that error, and the caller postpones the row. If end
// finds damage later, Try returns ErrHalfDone. A Change counts as a write even if it
// fails, since it must fail the transaction.
func Try(tx *Tx, end func() error) error {
	_, before := tx.Work()
	err := end()
	if _, after := tx.Work(); after > before && IsDamage(err) {
		return errors.Join(ErrHalfDone, err)
	}
	return err
}

// Apart runs a batch of rows as a whole. If a row turns out to be half done, it
// runs them one by one, and putOff gets the damaged row in a transaction of its
// own.
func Apart(rows [][]byte, run func(rows [][]byte) error, putOff func(row []byte, cause error) error) error {
	err := run(rows)
	if !errors.Is(err, ErrHalfDone) {
		return err
	}
	for i := range rows {
		if err = run(rows[i : i+1]); errors.Is(err, ErrHalfDone) {
			err = putOff(rows[i], err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ErrInconsistent reports that the store contradicts itself. The caller did not
// cause it, and nothing was consumed.
var ErrInconsistent = errors.New("vault: internal fault")
