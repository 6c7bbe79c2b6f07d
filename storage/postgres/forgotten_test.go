package postgres_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/postgres"
)

// TestForgottenCommit: a node stands still, or the database's clock leaps, between
// a commit and the question what became of it, and its row is removed as a week
// old. The commit must not be made a second time.
func TestForgottenCommit(t *testing.T) {
	server, name := need(t), schema(t)
	p := startProxy(t, server)
	store, _, err := postgres.Open(t.Context(), p.URL("postgres"), postgres.Options{Schema: name, Patience: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	put := func(value string) error {
		return store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("key"), []byte(value)) })
	}
	if err := put("before"); err != nil {
		t.Fatal(err)
	}
	other, _ := open(t, server, postgres.Options{Schema: name})
	p.Mute(true)
	done := make(chan error, 1)
	go func() { done <- put("during") }()
	await(t, server, `SELECT count(*) = 1 FROM "`+name+`".record WHERE value = 'during'`)
	// A commit that is made again would undo this.
	putIn(t, other, "b", "key", "later")
	mustExec(t, server.URL("postgres"), `UPDATE "`+name+`".commits SET at = at - interval '8 days'`)
	open(t, server, postgres.Options{Schema: name}) // removes them
	p.Mute(false)
	p.Cut()
	if err := <-done; !errors.Is(err, storage.ErrUnknownOutcome) {
		t.Errorf("Update whose row was removed: got %v, want %v", err, storage.ErrUnknownOutcome)
	}
	wantIn(t, other, "b", "key", "later")
	// For all that the node can see, the database was set back.
	if err := put("after"); !errors.Is(err, postgres.ErrRefused) {
		t.Errorf("Update afterwards: got %v, want %v", err, postgres.ErrRefused)
	}
}
