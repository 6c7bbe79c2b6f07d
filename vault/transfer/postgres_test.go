package transfer_test

import (
	"errors"
	"testing"

	"hush/seal"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/storage/storagetest"
	"hush/testtier"
	"hush/vault/shares"
	"hush/vault/transfer"
	"hush/vault/vaulttest"
)

// postgresSite is a database on a server of its own.
func postgresSite(t *testing.T, root seal.RootKey) site {
	t.Helper()
	testtier.Check(t, "starts PostgreSQL")
	server, err := postgrestest.Start()
	if errors.Is(err, postgrestest.ErrMissing) {
		t.Skip("needs postgres: not installed")
	}
	vaulttest.Want(t, "postgrestest.Start()", err, nil)
	t.Cleanup(func() { vaulttest.Want(t, "Stop()", server.Stop(), nil) })
	open := func(t *testing.T) (*postgres.Store, *postgres.Shares) {
		t.Helper()
		store, shares, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{OwnTables: shares.OwnTables()})
		vaulttest.Want(t, "postgres.Open()", err, nil)
		return store, shares
	}
	return site{
		open: func(t *testing.T) (transfer.Store, func()) {
			t.Helper()
			store, shares := open(t)
			// The test sets the clock, so the server's does not count.
			return transfer.Store{Name: "postgres", Store: storagetest.WithoutClock(store), Shares: shares}, func() {
				vaulttest.Want(t, "Close()", store.Close(), nil)
			}
		},
		serve: func(t *testing.T, clock *vaulttest.Clock, opts vaulttest.Options) *vaulttest.Kit {
			t.Helper()
			store, shares := open(t)
			t.Cleanup(func() { vaulttest.Want(t, "Close()", store.Close(), nil) })
			cluster := &vaulttest.Cluster{Store: storagetest.WithoutClock(store), Shares: shares, Root: root}
			opts.Start, opts.Manual = clock.Now(), true
			return cluster.Node(t, "node", opts)
		},
	}
}

// A service moves to a real database and back, killed again and again on the way.
func TestServiceMovesThroughPostgres(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "starts PostgreSQL")
	c := newContent(t)
	first, middle, last := folderSite(t, c.root), postgresSite(t, c.root), folderSite(t, c.root)
	k := first.serve(t, c.clock, c.options(t))
	c.fill(t, k)
	trail, counts := auditOf(t, k), countsOf(t, k)
	k.Close(t)

	for writes := 0; c.attempt(t, first, middle, writes, writes%2 == 0) != nil; writes += 3 {
		if writes > 300 {
			t.Fatal("Copy(longer each time): got no end, want one")
		}
	}
	wantNotServed(t, c, first)
	k = middle.serve(t, c.clock, c.options(t))
	wantSame(t, "audit trail", auditOf(t, k), trail)
	vaulttest.Want(t, "counters", countsOf(t, k), counts)
	k.Close(t)

	c.move(t, middle, last)
	wantNotServed(t, c, middle)
	k = last.serve(t, c.clock, c.options(t))
	defer k.Close(t)
	wantSame(t, "audit trail", auditOf(t, k), trail)
	c.wantWorks(t, k)
}
