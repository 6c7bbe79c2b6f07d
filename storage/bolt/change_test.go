package bolt_test

import (
	"errors"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
)

// What Init changes is stored like what it puts.
func TestInitChanges(t *testing.T) {
	t.Parallel()
	store, _, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{Init: func(tx storage.Tx) error {
		return tx.Change("meta", "counters", func([]byte) ([]byte, error) { return []byte("value"), nil })
	}})
	err := store.View(t.Context(), func(tx storage.Tx) error {
		same, err := tx.Same("meta", []byte("counters"), []byte("value"))
		if err == nil && !same {
			t.Error("the row that Init changed: got none, want it")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A transaction that is over changes nothing, also one whose update failed.
func TestChangeAfterTheEnd(t *testing.T) {
	t.Parallel()
	store, _, _ := bolttest.Open(t, filepath.Join(t.TempDir(), "data"), bolt.Options{})
	same := func(value []byte) ([]byte, error) { return value, nil }
	for _, outcome := range []error{nil, errors.New("given up")} {
		var over storage.Tx
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			over = tx
			return errors.Join(tx.Change("b", "k", same), outcome)
		})
		if !errors.Is(err, outcome) {
			t.Fatalf("Update: got %v, want %v", err, outcome)
		}
		if over.Change("b", "k", same) == nil {
			t.Errorf("Change(after an update that ended with %v): got nil, want an error", outcome)
		}
	}
}
