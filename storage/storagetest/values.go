package storagetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hush/storage"
)

func runValues(t *testing.T, open Opener) {
	t.Run("missing", storeTest(open, testMissing))
	t.Run("put and get", storeTest(open, testPutGet))
	t.Run("empty values", storeTest(open, testEmptyValues))
	t.Run("get many", storeTest(open, testGetMany))
	t.Run("same", storeTest(open, testSame))
	t.Run("delete", storeTest(open, testDelete))
	t.Run("buckets are apart", storeTest(open, testBucketsApart))
	t.Run("key sizes", storeTest(open, testKeySizes))
	t.Run("large values", storeTest(open, testLargeValues))
	t.Run("results are copies", storeTest(open, testResultsAreCopies))
	t.Run("arguments are copied", storeTest(open, testArgumentsAreCopied))
}

func testMissing(t *testing.T, s storage.Store) {
	missing := func(tx storage.Tx) error { return wantMissing(tx, "none") }
	mustView(t, s, missing)
	mustUpdate(t, s, missing)
	mustPut(t, s, "some", "value")
	mustView(t, s, missing)
	mustUpdate(t, s, missing)
}

func testPutGet(t *testing.T, s storage.Store) {
	mustUpdate(t, s, func(tx storage.Tx) error {
		if err := putAll(tx, "a", "1", "b", "2", "a", "3"); err != nil {
			return err
		}
		return wantValue(tx, "a", "3")
	})
	wantContents(t, s, "a=3", "b=2")
	mustPut(t, s, "b", "4")
	wantContents(t, s, "a=3", "b=4")
}

func testEmptyValues(t *testing.T, s storage.Store) {
	empty := func(tx storage.Tx) error {
		if err := wantValue(tx, "nil", ""); err != nil {
			return err
		}
		return wantValue(tx, "empty", "")
	}
	mustUpdate(t, s, func(tx storage.Tx) error {
		if err := tx.Put(bucket, []byte("nil"), nil); err != nil {
			return err
		}
		if err := tx.Put(bucket, []byte("empty"), []byte{}); err != nil {
			return err
		}
		return empty(tx)
	})
	mustView(t, s, empty)
	wantContents(t, s, "empty=", "nil=")
}

func testDelete(t *testing.T, s storage.Store) {
	remove := func(tx storage.Tx) error { return tx.Delete(bucket, []byte("a")) }
	mustUpdate(t, s, remove)
	mustPut(t, s, "a", "1", "b", "2")
	mustUpdate(t, s, func(tx storage.Tx) error {
		if err := remove(tx); err != nil {
			return err
		}
		return wantMissing(tx, "a")
	})
	mustUpdate(t, s, remove)
	wantContents(t, s, "b=2")
	mustPut(t, s, "a", "3")
	wantContents(t, s, "a=3", "b=2")
}

func testBucketsApart(t *testing.T, s storage.Store) {
	mustPut(t, s, "key", "here")
	mustUpdate(t, s, func(tx storage.Tx) error {
		return tx.Put("other", []byte("key"), []byte("there"))
	})
	mustUpdate(t, s, func(tx storage.Tx) error { return tx.Delete("third", []byte("key")) })
	mustView(t, s, func(tx storage.Tx) error { return wantValue(tx, "key", "here") })
	err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("", []byte("key"), nil) })
	if err == nil {
		t.Errorf("Put(empty bucket): got nil, want an error")
	}
}

func testKeySizes(t *testing.T, s storage.Store) {
	longest := strings.Repeat("k", 1024)
	mustPut(t, s, longest, "1", "k", "2")
	wantContents(t, s, "k=2", longest+"=1")
	for _, key := range []string{"", longest + "k"} {
		mustUpdate(t, s, func(tx storage.Tx) error {
			if err := tx.Put(bucket, []byte(key), []byte("v")); err == nil {
				t.Errorf("Put(key of %d bytes): got nil, want an error", len(key))
			}
			return nil
		})
	}
	wantContents(t, s, "k=2", longest+"=1")
}

func testLargeValues(t *testing.T, s storage.Store) {
	large := strings.Repeat("0123456789abcdef", 100_000/16)
	for _, key := range []string{"a", "b", "c"} {
		mustPut(t, s, key, key+large, "small-"+key, "1")
	}
	for _, key := range []string{"a", "b", "c"} {
		mustView(t, s, func(tx storage.Tx) error { return wantValue(tx, key, key+large) })
	}
}

func testResultsAreCopies(t *testing.T, s storage.Store) {
	mustPut(t, s, "a", "value")
	var kept []byte
	mustView(t, s, func(tx storage.Tx) error {
		var err error
		kept, err = tx.Get(bucket, []byte("a"))
		return err
	})
	for range 50 {
		mustPut(t, s, "a", "other", "b", strings.Repeat("x", 5000))
	}
	if string(kept) != "value" {
		t.Errorf("value after later updates: got %q, want %q", kept, "value")
	}
	mustUpdate(t, s, func(tx storage.Tx) error {
		got, err := tx.Get(bucket, []byte("a"))
		copy(got, "-----")
		return err
	})
	mustView(t, s, func(tx storage.Tx) error { return wantValue(tx, "a", "other") })
}

// testArgumentsAreCopied changes its arguments as soon as fn has returned,
// before a backend that batches updates has committed.
func testArgumentsAreCopied(t *testing.T, s storage.Store) {
	err := together(64, func(i int) error {
		key := []byte{'k', byte(i)}
		value := bytes.Repeat([]byte{byte(i)}, 100)
		return s.Update(t.Context(), func(tx storage.Tx) error {
			k, v := bytes.Clone(key), bytes.Clone(value)
			defer clear(k)
			defer clear(v)
			return tx.Put(bucket, k, v)
		})
	})
	if err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
	mustView(t, s, func(tx storage.Tx) error {
		for i := range 64 {
			want := string(bytes.Repeat([]byte{byte(i)}, 100))
			if err := wantValue(tx, string([]byte{'k', byte(i)}), want); err != nil {
				return err
			}
		}
		return nil
	})
}

func testSame(t *testing.T, s storage.Store) {
	same := func(tx storage.Tx) error {
		for _, c := range []struct {
			key, value string
			want       bool
		}{{"a", "1", true}, {"a", "2", false}, {"a", "", false}, {"empty", "", true}, {"none", "", false}, {"none", "1", false}} {
			if got, err := tx.Same(bucket, []byte(c.key), []byte(c.value)); got != c.want || err != nil {
				return fmt.Errorf("comparing %q with %q: got %t, %w, want %t, nil", c.key, c.value, got, err, c.want)
			}
		}
		return nil
	}
	mustPut(t, s, "a", "0", "empty", "", "none", "1")
	mustUpdate(t, s, func(tx storage.Tx) error {
		if err := tx.Delete(bucket, []byte("none")); err != nil {
			return err
		}
		if err := putAll(tx, "a", "1"); err != nil {
			return err
		}
		return same(tx)
	})
	mustView(t, s, same)
	mustUpdate(t, s, same)
}
