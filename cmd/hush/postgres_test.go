package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/storage/postgres/postgrestest"
)

// database is the PostgreSQL server of all tests that leave it running. It is
// started when first needed and ends with the tests.
var database struct {
	once   sync.Once
	server *postgrestest.Server
	err    error
	made   atomic.Int64
}

func needPostgres(t testing.TB) *postgrestest.Server {
	t.Helper()
	starts(t)
	runOnce(t, "has a PostgreSQL server of its own")
	database.once.Do(func() { database.server, database.err = postgrestest.Start() })
	if errors.Is(database.err, postgrestest.ErrMissing) {
		t.Skip("needs postgres: not installed")
	}
	if database.err != nil {
		t.Fatalf("postgrestest.Start: got %v, want a server", database.err)
	}
	return database.server
}

func stopPostgres() error {
	if database.server == nil {
		return nil
	}
	return database.server.Stop()
}

// newDatabase makes an empty database and returns its URL.
func newDatabase(t testing.TB) string {
	t.Helper()
	server := needPostgres(t)
	name := fmt.Sprintf("test%d", database.made.Add(1))
	execSQL(t, server.URL("postgres"), "CREATE DATABASE "+name)
	return server.URL(name)
}

// nodeKey writes a root key for several nodes.
func nodeKey(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "root.key")
	call(t, nil, "", "admin", "keygen", path).want(t, "admin keygen", command.ExitOK)
	return path
}

// Two nodes share a database: what one conceals the other reveals, once.
func TestNodesShareADatabase(t *testing.T) {
	t.Parallel()
	store, key := newDatabase(t), nodeKey(t)
	first := newDrivers(t, startHush(t, "--store", store, "--root-key-file", key), nil)
	second := newDrivers(t, startHush(t, "--store", store, "--root-key-file", key), nil)
	for i, d := range first {
		kept := apitest.MustConceal(t, d, apitest.Wish{Secret: "kept"})
		second[i].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, d.Name()+" reveal on the other node", "kept")
		if again := d.Reveal(t.Context(), kept.SecretKey, ""); again.Value != "" {
			t.Errorf("%s reveal on the first node after the other: got %+v, want nothing", d.Name(), again)
		}
	}
}

// Nodes that start at the same moment on an empty database, each ready to make
// the root key. One makes it; the others say what to do and leave no key behind
// that opens nothing. With the right key all serve.
func TestConcurrentFirstStarts(t *testing.T) {
	t.Parallel()
	store, top := newDatabase(t), t.TempDir()
	const nodes = 3
	var all sync.WaitGroup
	var results [nodes]result
	folder := func(i int) string { return filepath.Join(top, fmt.Sprint("data", i)) }
	for i := range nodes {
		if err := os.Mkdir(folder(i), 0o700); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			// account create does all that serve does at its start, and ends.
			results[i] = call(t, nil, "", "admin", "account", "create", fmt.Sprintf("a%d@example.com", i), "--store", store, "--data", folder(i))
		})
	}
	all.Wait()
	made := -1
	for i, r := range results {
		if r.code == command.ExitOK {
			if made >= 0 {
				t.Errorf("first starts at the same time: got two that made a key, want one")
			}
			made = i
			continue
		}
		r.want(t, "admin account create", command.ExitFailure, "holds data already", "copy the root key of another node there")
		entries, err := os.ReadDir(folder(i))
		if err != nil || len(entries) != 0 {
			t.Errorf("folder of a node that lost: got %v and %v, want it empty", entries, err)
		}
	}
	if made < 0 {
		t.Fatalf("first starts at the same time: got no node that made a key: %+v", results)
	}
	key := filepath.Join(folder(made), "root.key")
	startHush(t, "--store", store, "--root-key-file", key)
}

// A node with another root key must not start, and must change nothing.
func TestDatabaseWithAnotherRootKey(t *testing.T) {
	t.Parallel()
	store, key := newDatabase(t), nodeKey(t)
	s := startHush(t, "--store", store, "--root-key-file", key)
	kept := apitest.MustConceal(t, newDrivers(t, s, nil)[0], apitest.Wish{Secret: "kept"})
	s.stop(t)
	place := `the database "` + databaseName(t, store) + `" on ` + needPostgres(t).Folder()
	data := filepath.Join(t.TempDir(), "data")
	serve := func(flags ...string) result {
		t.Helper()
		return call(t, nil, "", append([]string{"serve", "--listen=127.0.0.1:0", "--store", store, "--data", data}, flags...)...)
	}
	serve("--root-key-file", nodeKey(t)).want(t, "serve", command.ExitFailure, "is not the one that "+place, "nothing was changed")
	serve().want(t, "serve", command.ExitFailure, place, "copy the root key of another node there")
	if entries, err := os.ReadDir(data); err != nil || len(entries) != 0 {
		t.Errorf("data folder after the refusals: got %v and %v, want it empty", entries, err)
	}
	again := startHush(t, "--store", store, "--root-key-file", key)
	newDrivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal with the right key", "kept")
}

func databaseName(t testing.TB, store string) string {
	t.Helper()
	u, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}
