// Package storagetest is the one suite that every backend of package storage
// passes.
//
// Promise: a backend that passes Run keeps the promises of storage.Store and
// storage.Shares while the process lives. Policy: the suite uses backends only
// through those interfaces. Each backend tests its own behaviour across crashes
// and starts; RunRecycler helps with the slots. What makes things durable passes
// RunObserver, and what has a storage.Notifier passes RunNotifier. GetEach and the
// functions beside it help tests that wrap a store.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
)

// Opener returns an empty store and empty shares. It closes them at the end of
// t; the suite may have closed the store by then.
type Opener func(t *testing.T) (storage.Store, storage.Shares)

// Run runs the whole suite. It calls open once for each of its tests.
func Run(t *testing.T, open func(t *testing.T) (storage.Store, storage.Shares)) {
	t.Run("Values", func(t *testing.T) { runValues(t, open) })
	t.Run("Change", func(t *testing.T) { runChange(t, open) })
	t.Run("Range", func(t *testing.T) { runRange(t, open) })
	t.Run("Transactions", func(t *testing.T) { runTransactions(t, open) })
	t.Run("Lifetime", func(t *testing.T) { runLifetime(t, open) })
	t.Run("Serializable", func(t *testing.T) { runSerializable(t, open) })
	t.Run("Shares", func(t *testing.T) { runShares(t, open) })
	t.Run("Recycler", func(t *testing.T) { runRecycler(t, open) })
}

// storeTest adapts a test of a store alone.
func storeTest(open Opener, test func(t *testing.T, s storage.Store)) func(*testing.T) {
	return func(t *testing.T) {
		s, _ := open(t)
		test(t, s)
	}
}

const bucket = "suite"

func mustUpdate(t *testing.T, s storage.Store, fn func(storage.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
}

func mustView(t *testing.T, s storage.Store, fn func(storage.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("View: got %v, want nil", err)
	}
}

func mustPut(t *testing.T, s storage.Store, pairs ...string) {
	t.Helper()
	mustUpdate(t, s, func(tx storage.Tx) error { return putAll(tx, pairs...) })
}

// putAll puts pairs of key and value.
func putAll(tx storage.Tx, pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if err := tx.Put(bucket, []byte(pairs[i]), []byte(pairs[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// contents returns the pairs with from <= key < to as "key=value".
func contents(tx storage.Tx, from, to []byte) ([]string, error) {
	var all []string
	err := tx.Range(bucket, from, to, func(key, value []byte) error {
		all = append(all, fmt.Sprintf("%s=%s", key, value))
		return nil
	})
	return all, err
}

func wantContents(t *testing.T, s storage.Store, want ...string) {
	t.Helper()
	mustView(t, s, func(tx storage.Tx) error {
		got, err := contents(tx, nil, nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Range(all): got %q, want %q\n%s", got, want, diff)
		}
		return err
	})
}

// wantMissing returns an error unless key is missing.
func wantMissing(tx storage.Tx, key string) error {
	if value, err := tx.Get(bucket, []byte(key)); !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("Get(%q): got %q, %v, want ErrNotFound", key, value, err)
	}
	return nil
}

// wantValue returns an error unless key holds want.
func wantValue(tx storage.Tx, key, want string) error {
	value, err := tx.Get(bucket, []byte(key))
	if err != nil || value == nil || string(value) != want {
		return fmt.Errorf("Get(%q): got %q, %v, want %q", key, value, err, want)
	}
	return nil
}

// together runs n calls of fn at the same time and joins their errors.
func together(n int, fn func(i int) error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = fn(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
