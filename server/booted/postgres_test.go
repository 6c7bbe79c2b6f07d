package booted_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hush/cli/command"
	"hush/routes/apitest"
	"hush/server/servertest"
)

// Two nodes share a database: what one conceals the other reveals, once.
func TestNodesShareADatabase(t *testing.T) {
	t.Parallel()
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	first := servertest.Drivers(t, servertest.Start(t, "--store", store, "--root-key-file", key), nil)
	second := servertest.Drivers(t, servertest.Start(t, "--store", store, "--root-key-file", key), nil)
	for i, d := range first {
		kept := apitest.MustConceal(t, d, apitest.Terms{Secret: "kept"})
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
	store, top := servertest.NewDatabase(t), t.TempDir()
	const nodes = 3
	var all sync.WaitGroup
	var results [nodes]servertest.Result
	folder := func(i int) string { return filepath.Join(top, fmt.Sprint("data", i)) }
	for i := range nodes {
		if err := os.Mkdir(folder(i), 0o700); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			// account create does all that serve does at its start, and ends.
			results[i] = servertest.Call(t, nil, "", "admin", "account", "create", fmt.Sprintf("a%d@example.com", i), "--store", store, "--data", folder(i))
		})
	}
	all.Wait()
	made := -1
	for i, r := range results {
		if r.Code == command.ExitOK {
			if made >= 0 {
				t.Errorf("first starts at the same time: got two that made a key, want one")
			}
			made = i
			continue
		}
		r.Want(t, "admin account create", command.ExitFailure, "holds data already", "copy the root key of another node there")
		entries, err := os.ReadDir(folder(i))
		if err != nil || len(entries) != 0 {
			t.Errorf("folder of a node that lost: got %v and %v, want it empty", entries, err)
		}
	}
	if made < 0 {
		t.Fatalf("first starts at the same time: got no node that made a key: %+v", results)
	}
	key := filepath.Join(folder(made), "root.key")
	servertest.Start(t, "--store", store, "--root-key-file", key)
}

// A node with another root key must not start, and must change nothing.
func TestDatabaseWithAnotherRootKey(t *testing.T) {
	t.Parallel()
	store, key := servertest.NewDatabase(t), servertest.NodeKey(t)
	s := servertest.Start(t, "--store", store, "--root-key-file", key)
	kept := apitest.MustConceal(t, servertest.Drivers(t, s, nil)[0], apitest.Terms{Secret: "kept"})
	s.Stop(t)
	place := `the database "` + servertest.DatabaseName(t, store) + `" on ` + servertest.NeedPostgres(t).Folder()
	data := filepath.Join(t.TempDir(), "data")
	serve := func(flags ...string) servertest.Result {
		t.Helper()
		return servertest.Call(t, nil, "", append([]string{"serve", "--listen=127.0.0.1:0", "--store", store, "--data", data}, flags...)...)
	}
	serve("--root-key-file", servertest.NodeKey(t)).Want(t, "serve", command.ExitFailure, "is not the one that "+place, "nothing was changed")
	serve().Want(t, "serve", command.ExitFailure, place, "copy the root key of another node there")
	if entries, err := os.ReadDir(data); err != nil || len(entries) != 0 {
		t.Errorf("data folder after the refusals: got %v and %v, want it empty", entries, err)
	}
	again := servertest.Start(t, "--store", store, "--root-key-file", key)
	servertest.Drivers(t, again, nil)[0].Reveal(t.Context(), kept.SecretKey, "").WantValue(t, "reveal with the right key", "kept")
}
