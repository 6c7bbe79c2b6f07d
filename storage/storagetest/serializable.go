package storagetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"hush/storage"
)

const (
	takenKeys   = 40
	takers      = 32
	counters    = 4
	increments  = 320
	skewedPairs = 40
)

var errTaken = errors.New("storagetest: already taken")

func runSerializable(t *testing.T, open Opener) {
	checks := map[string]func(context.Context, storage.Store) error{
		"takers":     CheckTakers,
		"counters":   CheckCounters,
		"write skew": CheckWriteSkew,
	}
	for name, check := range checks {
		t.Run(name, storeTest(open, func(t *testing.T, s storage.Store) {
			if err := check(t.Context(), s); err != nil {
				t.Error(err)
			}
		}))
	}
}

// CheckTakers lets many callers take the same keys, each by reading a key and
// deleting it in one update. It returns an error unless each key was taken
// exactly once and is gone. One-time secrets depend on this.
func CheckTakers(ctx context.Context, s storage.Store) error {
	key := func(i int) []byte { return fmt.Appendf(nil, "take-%03d", i) }
	err := s.Update(ctx, func(tx storage.Tx) error {
		var errs []error
		for i := range takenKeys {
			errs = append(errs, tx.Put(bucket, key(i), []byte("secret")))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return err
	}
	var taken [takenKeys]atomic.Int32
	err = together(takenKeys*takers, func(i int) error {
		err := s.Update(ctx, func(tx storage.Tx) error { return take(tx, key(i%takenKeys)) })
		if err == nil {
			taken[i%takenKeys].Add(1)
		}
		return unless(errors.Is(err, errTaken), err)
	})
	errs := []error{err}
	for i := range taken {
		if n := taken[i].Load(); n != 1 {
			errs = append(errs, fmt.Errorf("key %s: taken by %d callers, want 1", key(i), n))
		}
	}
	return errors.Join(append(errs, s.View(ctx, wantNothing))...)
}

func take(tx storage.Tx, key []byte) error {
	_, err := tx.Get(bucket, key)
	if errors.Is(err, storage.ErrNotFound) {
		return errTaken
	}
	if err != nil {
		return err
	}
	return tx.Delete(bucket, key)
}

func wantNothing(tx storage.Tx) error {
	got, err := contents(tx, nil, nil)
	if len(got) != 0 {
		return fmt.Errorf("Range(all): got %q, want nothing", got)
	}
	return err
}

// CheckCounters lets many callers add to a few counters and returns an error
// unless every addition counts.
func CheckCounters(ctx context.Context, s storage.Store) error {
	key := func(i int) []byte { return fmt.Appendf(nil, "count-%d", i) }
	err := together(increments, func(i int) error {
		return s.Update(ctx, func(tx storage.Tx) error {
			n, err := count(tx, key(i%counters))
			if err != nil {
				return err
			}
			return tx.Put(bucket, key(i%counters), binary.BigEndian.AppendUint64(nil, n+1))
		})
	})
	if err != nil {
		return err
	}
	return s.View(ctx, func(tx storage.Tx) error {
		for i := range counters {
			n, err := count(tx, key(i))
			if err != nil || n != increments/counters {
				return fmt.Errorf("counter %d: got %d, %v, want %d", i, n, err, increments/counters)
			}
		}
		return nil
	})
}

func count(tx storage.Tx, key []byte) (uint64, error) {
	value, err := tx.Get(bucket, key)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(value), nil
}

// CheckWriteSkew lets two callers each delete one of a pair if the other one is
// still there, which snapshot isolation would allow to both. It returns an
// error unless one of each pair stays.
func CheckWriteSkew(ctx context.Context, s storage.Store) error {
	key := func(pair, side int) string { return fmt.Sprintf("pair-%03d-%d", pair, side) }
	err := s.Update(ctx, func(tx storage.Tx) error {
		var errs []error
		for pair := range skewedPairs {
			errs = append(errs, putAll(tx, key(pair, 0), "", key(pair, 1), ""))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return err
	}
	err = together(2*skewedPairs, func(i int) error {
		pair, side := i/2, i%2
		return s.Update(ctx, func(tx storage.Tx) error {
			_, err := tx.Get(bucket, []byte(key(pair, 1-side)))
			if err != nil {
				return unless(errors.Is(err, storage.ErrNotFound), err)
			}
			return tx.Delete(bucket, []byte(key(pair, side)))
		})
	})
	if err != nil {
		return err
	}
	return s.View(ctx, func(tx storage.Tx) error {
		for pair := range skewedPairs {
			left, err := contents(tx, []byte(key(pair, 0)), []byte(key(pair, 2)))
			if err != nil || len(left) != 1 {
				return fmt.Errorf("pair %d: %q is left, %v, want one of them", pair, left, err)
			}
		}
		return nil
	})
}

// unless returns err if ok is false.
func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}
