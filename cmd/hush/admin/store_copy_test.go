package admin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/server/servertest"
	"hush/storage/postgres/postgrestest"
)

// newStopped returns the data folder of a stopped service.
func newStopped(t *testing.T) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	keys, err := servertest.WriteRootKey(data)
	if err != nil {
		t.Fatal(err)
	}
	store, err := servertest.OpenFolder(t.Context(), data, keys, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Release(); err != nil {
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
	servertest.Call(t, nil, "", "admin", "store", "copy", "--check", from, to).Want(t, "admin store copy --check", 0, "nothing was changed")
	if found, err := os.ReadDir(above); err != nil || len(found) > 0 {
		t.Errorf("folder above the target: got %v, %v, want nothing in it", found, err)
	}
	open := filepath.Join(above, "open")
	if err := os.Mkdir(open, 0o755); err != nil { // this is what is refused
		t.Fatal(err)
	}
	servertest.Call(t, nil, "", "admin", "store", "copy", "--check", from, open).Want(t, "admin store copy --check", command.ExitFailure, "chmod 700")
}

func TestCopyCheckLeavesNoSchema(t *testing.T) {
	t.Parallel()
	server, name := servertest.NeedPostgres(t), postgrestest.NewName()
	if err := postgrestest.CreateDatabase(t.Context(), server.URL("postgres"), name, ""); err != nil {
		t.Fatal(err)
	}
	from, to := newStopped(t), server.URL(name)
	servertest.Call(t, nil, "", "admin", "store", "copy", "--check", from, to).Want(t, "admin store copy --check", 0, "nothing was changed")
	servertest.ExecSQL(t, to, "CREATE SCHEMA hush; DROP SCHEMA hush") // fails if there is one
	servertest.Call(t, nil, "", "admin", "store", "copy", "--root-key-file", filepath.Join(from, "root.key"), to, filepath.Join(t.TempDir(), "data")).
		Want(t, "admin store copy", command.ExitFailure, "holds no data of")
	servertest.ExecSQL(t, to, "CREATE ROLE narrow_copy LOGIN")
	servertest.Call(t, nil, "", "admin", "store", "copy", "--check", from, strings.Replace(to, "user=hush", "user=narrow_copy", 1)).Want(t, "admin store copy --check", command.ExitFailure, "may not create schema")
	servertest.Call(t, nil, "", "admin", "store", "copy", from, to).Want(t, "admin store copy", 0, "is retired")
	servertest.Call(t, nil, "", "admin", "store", "copy", "--check", newStopped(t), to).Want(t, "admin store copy --check", command.ExitFailure)
}
