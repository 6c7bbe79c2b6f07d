package rows

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"hush/storage"
)

// Damage counts the records that a sweep could not read, by bucket, so that the
// log has one line for a bucket however many they are.
type Damage struct {
	mu      sync.Mutex
	buckets map[string]unreadBucket
}

type unreadBucket struct {
	count int
	cause error // of the last
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

// Add counts what other has, which is of a transaction that was committed.
func (u *Damage) Add(other *Damage) {
	for bucket, b := range other.buckets {
		for range b.count {
			u.Note(bucket, b.cause)
		}
	}
}

// Report logs what was counted. A key never gets there.
func (u *Damage) Report(log *slog.Logger) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, bucket := range slices.Sorted(maps.Keys(u.buckets)) {
		b := u.buckets[bucket]
		log.Error("records cannot be read and were passed over", "bucket", bucket, "count", b.count, "cause", b.cause)
	}
}

// IsDamage reports whether err tells of a record that cannot be read.
func IsDamage(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrInconsistent) }

// ErrHalfDone says that damage was found after something had been written, so the
// transaction must not be committed.
var ErrHalfDone = errors.New("damage after a write")

// writesTx remembers whether anything was written.
type writesTx struct {
	storage.Tx
	wrote bool
}

func (t *writesTx) Put(bucket string, key, value []byte) error {
	t.wrote = true
	return t.Tx.Put(bucket, key, value)
}

func (t *writesTx) Delete(bucket string, key []byte) error {
	t.wrote = true
	return t.Tx.Delete(bucket, key)
}

// Try runs end, which handles one row of an index. Damage that end finds
// before it writes is returned for the row to be put off; damage that it finds
// later is ErrHalfDone.
func Try(tx storage.Tx, end func(storage.Tx) error) error {
	noted := writesTx{Tx: tx}
	err := end(&noted)
	if noted.wrote && IsDamage(err) {
		return errors.Join(ErrHalfDone, err)
	}
	return err
}

// Apart runs a batch of rows as a whole, and one by one if a row turned out to be
// half done: then putOff gets it in a transaction of its own.
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

// ErrInconsistent says that the store holds something it cannot hold. Never the caller's
// doing, and nothing was consumed.
var ErrInconsistent = errors.New("vault: internal fault")
