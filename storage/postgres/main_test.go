package postgres_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/testtier"
)

// shared is the server of all tests that leave it running.
var shared *postgrestest.Server

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() { // what needs the server is left out
		os.Exit(m.Run())
	}
	server, err := postgrestest.Start()
	if err != nil && !errors.Is(err, postgrestest.ErrMissing) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = server
	code := m.Run()
	if server != nil {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func need(t testing.TB) *postgrestest.Server {
	t.Helper()
	testtier.Check(t, "starts PostgreSQL")
	if shared == nil {
		t.Skip("needs postgres: not installed")
	}
	return shared
}

// own starts a server for t alone.
func own(t testing.TB, settings ...string) *postgrestest.Server {
	t.Helper()
	need(t)
	server, err := postgrestest.Start(settings...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

var schemas atomic.Int64

// schema returns the name of a schema that no other test has.
func schema(t testing.TB) string {
	return fmt.Sprintf("%s %d", strings.ToLower(t.Name())[:min(len(t.Name()), 40)], schemas.Add(1))
}

// open opens a node and closes it when t is over.
func open(t testing.TB, server *postgrestest.Server, opts postgres.Options) (*postgres.Store, *postgres.Shares) {
	t.Helper()
	if opts.Patience == 0 {
		opts.Patience = 30 * time.Second
	}
	store, shares, err := postgres.Open(t.Context(), server.URL("postgres"), opts)
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
	return store, shares
}
