package postgres_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/testtier"
)

// standby starts a standby of server that commits wait for.
func standby(t *testing.T, server *postgrestest.Server) *postgrestest.Server {
	t.Helper()
	second, err := server.Standby("second")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := server.SyncWith("second"); err != nil {
		t.Fatal(err)
	}
	return second
}

// TestFailover promotes the synchronous standby in the middle of updates. What
// was confirmed is there, and what is not known counts once at most.
func TestFailover(t *testing.T) {
	testtier.Full(t, "crashes PostgreSQL at random")
	server := own(t)
	second := standby(t, server)
	p := startProxy(t, server)
	var nodes []storage.Store
	for range 2 {
		store, _, err := postgres.Open(t.Context(), p.URL("postgres"), postgres.Options{Patience: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		nodes = append(nodes, store)
	}
	countAmid(t, nodes, nodes[0], func(<-chan struct{}) {
		time.Sleep(200 * time.Millisecond)
		if err := errors.Join(server.Crash(), second.Promote()); err != nil {
			t.Error(err)
		}
		p.Point(second)
	})
}
