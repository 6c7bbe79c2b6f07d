package storagetest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
)

func runRange(t *testing.T, open Opener) {
	t.Run("bounds", storeTest(open, testRangeBounds))
	t.Run("empty bucket", storeTest(open, testRangeEmpty))
	t.Run("order of bytes", storeTest(open, testRangeOrder))
	t.Run("error ends the walk", storeTest(open, testRangeError))
	t.Run("sees own writes", storeTest(open, testRangeOwnWrites))
	t.Run("refuses writes to its bucket", storeTest(open, testRangeRefusesWrites))
}

func testRangeBounds(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1", "b", "2", "bb", "3", "c", "4")
	tests := []struct {
		from, to []byte
		want     []string
	}{
		{nil, nil, []string{"a=1", "b=2", "bb=3", "c=4"}},
		{[]byte{}, nil, []string{"a=1", "b=2", "bb=3", "c=4"}},
		{[]byte("b"), nil, []string{"b=2", "bb=3", "c=4"}},
		{[]byte("b"), []byte("c"), []string{"b=2", "bb=3"}},
		{[]byte("b\x00"), []byte("c\x00"), []string{"bb=3", "c=4"}},
		{nil, []byte("b"), []string{"a=1"}},
		{nil, []byte{}, nil},
		{[]byte("b"), []byte("b"), nil},
		{[]byte("c"), []byte("a"), nil},
		{[]byte("d"), nil, nil},
	}
	mustView(t, s, func(tx storage.Tx) error {
		for _, tt := range tests {
			got, err := contents(tx, tt.from, tt.to)
			if err != nil {
				return err
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Range(%q, %q): got %q, want %q", tt.from, tt.to, got, tt.want)
			}
		}
		return nil
	})
}

func testRangeEmpty(t *testing.T, s storage.Store) {
	wantContents(t, s)
	mustPut(t, s, "a", "1")
	mustUpdate(t, s, func(tx storage.Tx) error { return tx.Delete(bucket, []byte("a")) })
	wantContents(t, s)
}

func testRangeOrder(t *testing.T, s storage.Store) {
	mustPut(t, s, "\xff", "5", "a", "3", "\x00", "1", "aa", "4", "\x00\x00", "2")
	wantContents(t, s, "\x00=1", "\x00\x00=2", "a=3", "aa=4", "\xff=5")
}

func testRangeError(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1", "b", "2", "c", "3")
	stop := errors.New("stop")
	mustView(t, s, func(tx storage.Tx) error {
		calls := 0
		err := tx.Range(bucket, nil, nil, func(_, _ []byte) error {
			calls++
			if calls == 2 {
				return stop
			}
			return nil
		})
		if err != stop || calls != 2 {
			t.Errorf("Range: got %v after %d calls, want %v after 2", err, calls, stop)
		}
		return nil
	})
}

func testRangeOwnWrites(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1", "c", "3")
	mustUpdate(t, s, func(tx storage.Tx) error {
		if err := putAll(tx, "b", "2", "c", "4"); err != nil {
			return err
		}
		if err := tx.Delete(bucket, []byte("a")); err != nil {
			return err
		}
		got, err := contents(tx, nil, nil)
		if diff := cmp.Diff([]string{"b=2", "c=4"}, got); diff != "" {
			t.Errorf("Range(own writes): got %q", got)
		}
		return err
	})
}

// testRangeRefusesWrites: writing to the bucket of a walk skips keys in some
// trees, so every backend refuses it. Another bucket may be written.
func testRangeRefusesWrites(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1", "b", "2")
	mustUpdate(t, s, func(tx storage.Tx) error {
		return tx.Range(bucket, nil, nil, func(key, value []byte) error {
			if tx.Put(bucket, []byte("c"), value) == nil || tx.Delete(bucket, []byte("a")) == nil {
				t.Errorf("write to the bucket being ranged: got nil, want an error")
			}
			return tx.Put("other", key, value)
		})
	})
	wantContents(t, s, "a=1", "b=2")
}
