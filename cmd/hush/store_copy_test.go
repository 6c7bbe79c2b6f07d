package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/storage/postgres/postgrestest"
)

// newStopped returns the data folder of a stopped service.
func newStopped(t *testing.T) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	keys, err := writeRootKey(data)
	if err != nil {
		t.Fatal(err)
	}
	store, err := openFolder(t.Context(), data, keys, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.close(); err != nil {
		t.Fatal(err)
	}
	return data
}

// A check of a copy creates neither the folder nor the schema of the target, and
// finds what the copy itself would be refused for.
func TestCopyCheckLeavesNothing(t *testing.T) {
	t.Parallel()
	from, above := newStopped(t), t.TempDir()
	to := filepath.Join(above, "new", "data")
	call(t, nil, "", "admin", "store", "copy", "--check", from, to).want(t, "admin store copy --check", 0, "nothing was changed")
	if found, err := os.ReadDir(above); err != nil || len(found) > 0 {
		t.Errorf("folder above the target: got %v, %v, want nothing in it", found, err)
	}
	open := filepath.Join(above, "open")
	if err := os.Mkdir(open, 0o755); err != nil { // this is what is refused
		t.Fatal(err)
	}
	call(t, nil, "", "admin", "store", "copy", "--check", from, open).want(t, "admin store copy --check", command.ExitFailure, "chmod 700")
}

func TestCopyCheckLeavesNoSchema(t *testing.T) {
	t.Parallel()
	server, name := needPostgres(t), postgrestest.NewName()
	if err := postgrestest.CreateDatabase(t.Context(), server.URL("postgres"), name, ""); err != nil {
		t.Fatal(err)
	}
	from, to := newStopped(t), server.URL(name)
	call(t, nil, "", "admin", "store", "copy", "--check", from, to).want(t, "admin store copy --check", 0, "nothing was changed")
	execSQL(t, to, "CREATE SCHEMA hush; DROP SCHEMA hush") // fails if there is one
	call(t, nil, "", "admin", "store", "copy", "--root-key-file", filepath.Join(from, "root.key"), to, filepath.Join(t.TempDir(), "data")).
		want(t, "admin store copy", command.ExitFailure, "holds no data of")
	execSQL(t, to, "CREATE ROLE narrow_copy LOGIN")
	call(t, nil, "", "admin", "store", "copy", "--check", from, strings.Replace(to, "user=hush", "user=narrow_copy", 1)).want(t, "admin store copy --check", command.ExitFailure, "may not create schema")
	call(t, nil, "", "admin", "store", "copy", from, to).want(t, "admin store copy", 0, "is retired")
	call(t, nil, "", "admin", "store", "copy", "--check", newStopped(t), to).want(t, "admin store copy --check", command.ExitFailure)
}
