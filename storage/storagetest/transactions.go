package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hush/storage"
)

func runTransactions(t *testing.T, open Opener) {
	t.Run("view is a snapshot", storeTest(open, testSnapshot))
	t.Run("view refuses writes", storeTest(open, testViewRefusesWrites))
	t.Run("error discards writes", storeTest(open, testErrorDiscards))
	t.Run("error without writing", storeTest(open, testErrorWithoutWriting))
	t.Run("failing update in a batch", storeTest(open, testFailingInBatch))
	t.Run("panic discards writes", storeTest(open, testPanicDiscards))
	t.Run("result is visible at once", storeTest(open, testReadYourWrites))
	t.Run("reserved updates", storeTest(open, testReserved))
	t.Run("none waits at rest", storeTest(open, testWaiting))
	t.Run("a share that is needed", func(t *testing.T) {
		store, shares := open(t)
		testNeedShare(t, store, shares)
	})
}

// testReserved: a reserved update is an update.
func testReserved(t *testing.T, s storage.Store) {
	refused := errors.New("no")
	for _, c := range []struct {
		value string
		want  error
	}{{"1", nil}, {"2", refused}} {
		err := s.UpdateReserved(t.Context(), func(tx storage.Tx) error {
			return errors.Join(putAll(tx, "a", c.value), c.want)
		})
		if !errors.Is(err, c.want) {
			t.Errorf("UpdateReserved: got %v, want %v", err, c.want)
		}
	}
	wantContents(t, s, "a=1")
	if err := s.UpdateReserved(cancelled(), func(storage.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("UpdateReserved(cancelled): got %v, want %v", err, context.Canceled)
	}
}

func testWaiting(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1")
	if n := s.Waiting(); n != 0 {
		t.Errorf("Waiting() of a store at rest: got %d, want 0", n)
	}
}

// testNeedShare: an update that needs a share which is there is applied. One that needs
// another is refused as a whole, unless no share of the store can go missing.
func testNeedShare(t *testing.T, store storage.Store, shares storage.Shares) {
	there, destroyed := mustPutShare(t, shares, newShare()), mustPutShare(t, shares, newShare())
	mustDestroy(t, shares, destroyed)
	needing := func(key string, slots ...storage.Slot) error {
		return store.Update(t.Context(), func(tx storage.Tx) error {
			for _, slot := range slots {
				tx.NeedShare(slot)
			}
			return putAll(tx, key, "sealed")
		})
	}
	if err := needing("a", there); err != nil {
		t.Fatalf("Update that needs a share: got %v, want nil", err)
	}
	switch err := needing("b", there, destroyed); {
	case err == nil:
		wantContents(t, store, "a=sealed", "b=sealed")
	case errors.Is(err, storage.ErrShareGone):
		wantContents(t, store, "a=sealed")
	default:
		t.Errorf("Update that needs a destroyed share: got %v, want nil or %v", err, storage.ErrShareGone)
	}
}

func testSnapshot(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1", "b", "1")
	mustView(t, s, func(tx storage.Tx) error {
		if err := wantValue(tx, "a", "1"); err != nil {
			return err
		}
		// Written from elsewhere while this view is open.
		changed := make(chan error)
		go func() {
			changed <- s.Update(t.Context(), func(tx storage.Tx) error {
				return errors.Join(putAll(tx, "a", "2", "c", "2"), tx.Delete(bucket, []byte("b")))
			})
		}()
		if err := <-changed; err != nil {
			return err
		}
		return errors.Join(wantValue(tx, "a", "1"), wantValue(tx, "b", "1"), wantMissing(tx, "c"))
	})
	wantContents(t, s, "a=2", "c=2")
}

func testViewRefusesWrites(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1")
	mustView(t, s, func(tx storage.Tx) error {
		if tx.Put(bucket, []byte("a"), []byte("2")) == nil {
			t.Errorf("Put in View: got nil, want an error")
		}
		if tx.Delete(bucket, []byte("a")) == nil {
			t.Errorf("Delete in View: got nil, want an error")
		}
		return wantValue(tx, "a", "1")
	})
	wantContents(t, s, "a=1")
}

func testErrorDiscards(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1", "b", "1")
	want := errors.New("no")
	err := s.Update(t.Context(), func(tx storage.Tx) error {
		if err := errors.Join(putAll(tx, "a", "2", "c", "2"), tx.Delete(bucket, []byte("b"))); err != nil {
			return err
		}
		return want
	})
	if err != want {
		t.Errorf("Update: got %v, want %v itself", err, want)
	}
	wantContents(t, s, "a=1", "b=1")
}

func testErrorWithoutWriting(t *testing.T, s storage.Store) {
	want := errors.New("no")
	err := together(200, func(i int) error {
		err := s.Update(t.Context(), func(tx storage.Tx) error {
			if i%2 == 0 {
				return want
			}
			return putAll(tx, fmt.Sprintf("%03d", i), "")
		})
		if i%2 == 0 && err == want {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatalf("Update: got %v, want each its own result", err)
	}
	wantContents(t, s, oddKeys(200)...)
}

// testFailingInBatch runs updates that write and then fail beside others. Each
// of the others adds its letter once, however often it runs.
func testFailingInBatch(t *testing.T, s storage.Store) {
	want := errors.New("no")
	err := together(200, func(i int) error {
		err := s.Update(t.Context(), func(tx storage.Tx) error {
			if err := putAll(tx, fmt.Sprintf("%03d", i), ""); err != nil {
				return err
			}
			if err := appendLetter(tx, "log"); err != nil || i%2 != 0 {
				return err
			}
			return want
		})
		if i%2 == 0 && err == want {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatalf("Update: got %v, want each its own result", err)
	}
	wantContents(t, s, append(oddKeys(200), "log="+strings.Repeat("x", 100))...)
}

func oddKeys(n int) []string {
	var keys []string
	for i := 1; i < n; i += 2 {
		keys = append(keys, fmt.Sprintf("%03d=", i))
	}
	return keys
}

func appendLetter(tx storage.Tx, key string) error {
	value, err := tx.Get(bucket, []byte(key))
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return putAll(tx, key, string(value)+"x")
}

// testPanicDiscards allows a backend to propagate the panic or to return an
// error. In both cases nothing is left of the update, and the store keeps
// working.
func testPanicDiscards(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "1")
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return s.Update(t.Context(), func(tx storage.Tx) error {
			if err := putAll(tx, "a", "2"); err != nil {
				return err
			}
			panic("on purpose") //nolint:forbidigo // what is tested
		})
	}()
	if err == nil {
		t.Errorf("Update(panicking fn): got nil, want an error")
	}
	wantContents(t, s, "a=1")
	mustPut(t, s, "b", "2")
	wantContents(t, s, "a=1", "b=2")
}

func testReadYourWrites(t *testing.T, s storage.Store) {
	err := together(32, func(i int) error {
		key := fmt.Sprintf("%03d", i)
		if err := s.Update(t.Context(), func(tx storage.Tx) error { return putAll(tx, key, key) }); err != nil {
			return err
		}
		return s.View(t.Context(), func(tx storage.Tx) error { return wantValue(tx, key, key) })
	})
	if err != nil {
		t.Error(err)
	}
}
