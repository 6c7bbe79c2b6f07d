package postgres_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
)

func mustExec(t *testing.T, url, sql string) {
	t.Helper()
	pg, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(context.Background())
	if _, err := pg.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefusesServer(t *testing.T) {
	server := own(t, "fsync=off")
	_, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{})
	if !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), "fsync") {
		t.Errorf("Open(fsync off): got %v, want %v", err, postgres.ErrRefused)
	}
}

// A setting that goes bad under a running store is found by the next connection.
func TestReconnectRefusesServer(t *testing.T) {
	server := own(t)
	store, _ := open(t, server, postgres.Options{Patience: 300 * time.Millisecond})
	if err := addOne(t.Context(), store, 0); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.Halt(), server.Configure("fsync=off"), server.Run()); err != nil {
		t.Fatal(err)
	}
	err := addOne(t.Context(), store, 0)
	if !errors.Is(err, postgres.ErrUnavailable) || !errors.Is(err, postgres.ErrRefused) {
		t.Errorf("Update after fsync went off: got %v, want %v and %v", err, postgres.ErrUnavailable, postgres.ErrRefused)
	}
	if err := errors.Join(server.Halt(), server.Configure("fsync=on"), server.Run()); err != nil {
		t.Fatal(err)
	}
	if err := addOne(t.Context(), store, 0); err != nil {
		t.Errorf("Update after fsync is on again: got %v, want nil", err)
	}
}

func TestOpenRefusesNewerSchema(t *testing.T) {
	server, name := need(t), schema(t)
	store, _ := open(t, server, postgres.Options{Schema: name})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, server.URL("postgres"), `UPDATE "`+name+`".version SET version = 99, oldest = 99`)
	_, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Schema: name})
	if !errors.Is(err, postgres.ErrNewerSchema) {
		t.Errorf("Open(newer schema): got %v, want %v", err, postgres.ErrNewerSchema)
	}
}

// What only reads gives no bucket a number, also if it names buckets that have none.
func TestReadOnlyChangesNothing(t *testing.T) {
	server, name := need(t), schema(t)
	writer, _ := open(t, server, postgres.Options{Schema: name})
	put := func(tx storage.Tx) error { return tx.Put("filled", []byte("key"), []byte("value")) }
	if err := writer.Update(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	reader, _ := open(t, server, postgres.Options{Schema: name, Existing: true, ReadOnly: true})
	for range 2 {
		err := reader.View(t.Context(), func(tx storage.Tx) error {
			if value, err := tx.Get("filled", []byte("key")); err != nil || string(value) != "value" {
				t.Errorf("Get(filled): got %q and %v, want value", value, err)
			}
			if _, err := tx.Get("never named", []byte("key")); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("Get(never named): got %v, want %v", err, storage.ErrNotFound)
			}
			return tx.Range("never named", nil, nil, func(key, _ []byte) error {
				t.Errorf("Range(never named): got row %q, want none", key)
				return nil
			})
		})
		if err != nil {
			t.Errorf("View: got %v, want nil", err)
		}
	}
	if err := reader.Update(t.Context(), put); err == nil {
		t.Error("Update(read-only): got nil, want an error")
	}
	mustExec(t, server.URL("postgres"), `DO $$ BEGIN
		IF EXISTS (SELECT FROM "`+name+`".bucket WHERE name = 'never named') THEN RAISE 'a bucket got a number'; END IF;
	END $$`)
	if err := writer.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("never named", []byte("key"), nil) }); err != nil {
		t.Fatal(err)
	}
	err := reader.View(t.Context(), func(tx storage.Tx) error {
		_, err := tx.Get("never named", []byte("key"))
		return err
	})
	if err != nil {
		t.Errorf("Get(a bucket that got its number later): got %v, want nil", err)
	}
}

// TestSchemaTakesItsTime: a step that takes longer than a statement of the service may, as
// on a large database or a busy machine, is not cut off.
func TestSchemaTakesItsTime(t *testing.T) {
	server := need(t)
	mustExec(t, server.URL("postgres"), "CREATE DATABASE slow")
	target := server.URL("slow")
	mustExec(t, target, `CREATE FUNCTION public.wait() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3); END';
		CREATE EVENT TRIGGER waits ON ddl_command_start WHEN TAG IN ('CREATE SEQUENCE') EXECUTE FUNCTION public.wait()`)
	store, _, err := postgres.Open(t.Context(), target, postgres.Options{StatementTimeout: 2 * time.Second, Patience: time.Second})
	if err != nil {
		t.Fatalf("Open(a slow step): got %v, want nil", err)
	}
	if err := store.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
}

// TestOpenWaits: a server that comes up with Hush is waited for.
func TestOpenWaits(t *testing.T) {
	server := own(t)
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	_, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Patience: 50 * time.Millisecond})
	if !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("Open(no server): got %v, want %v", err, postgres.ErrUnavailable)
	}
	running := make(chan error)
	go func() {
		time.Sleep(100 * time.Millisecond)
		running <- server.Run()
	}()
	open(t, server, postgres.Options{Patience: time.Minute})
	if err := <-running; err != nil {
		t.Fatal(err)
	}
}

func TestOpenNames(t *testing.T) {
	server := need(t)
	_, _, err := postgres.Open(t.Context(), server.URL("none"), postgres.Options{Patience: time.Second})
	if err == nil || !strings.Contains(err.Error(), "3D000") {
		t.Errorf("Open(no such database): got %v, want its SQLSTATE", err)
	}
	odd := `odd "name' \ ` + schema(t)
	store, _ := open(t, server, postgres.Options{Schema: odd})
	if err := addOne(t.Context(), store, 0); err != nil {
		t.Errorf("Update in schema %s: got %v, want nil", odd, err)
	}
}

// TestFullDisk fills the file system of a table space.
func TestFullDisk(t *testing.T) {
	need(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root: a small file system is mounted")
	}
	server := own(t)
	small := server.Folder() + "/small"
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small).CombinedOutput(); err != nil {
		t.Skipf("needs mount: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", small).Run() })
	owner, err := os.Stat(server.Folder())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chown", "--reference="+server.Folder(), small).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", owner.Name(), out)
	}
	mustExec(t, server.URL("postgres"), "CREATE TABLESPACE small LOCATION '"+small+"'")
	mustExec(t, server.URL("postgres"), "ALTER DATABASE postgres SET default_tablespace = small")
	store, shares := open(t, server, postgres.Options{})
	put := func(i byte, size int) error {
		return store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte{i}, make([]byte, size)) })
	}
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err := errors.Join(err, put(1, 100), put(2, 100)); err != nil {
		t.Fatal(err)
	}
	full := put(3, 16<<20)
	if !errors.Is(full, storage.ErrFull) {
		t.Fatalf("Put(more than fits): got %v, want %v", full, storage.ErrFull)
	}
	err = store.UpdateReserved(t.Context(), func(tx storage.Tx) error {
		if _, err := tx.Get("b", []byte{3}); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("Get after %v: got %v, want %v", full, err, storage.ErrNotFound)
		}
		return tx.Delete("b", []byte{1})
	})
	if err := errors.Join(err, shares.Destroy(t.Context(), slot), put(4, 100)); err != nil {
		t.Errorf("after a full disk: got %v, want nil", err)
	}
}
