package postgres_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
)

func putIn(t *testing.T, s storage.Store, bucket, key, value string) {
	t.Helper()
	err := s.Update(t.Context(), func(tx storage.Tx) error { return tx.Put(bucket, []byte(key), []byte(value)) })
	if err != nil {
		t.Fatal(err)
	}
}

// wantIn checks the value of a key; "" stands for none.
func wantIn(t *testing.T, s storage.Store, bucket, key, want string) {
	t.Helper()
	err := s.View(t.Context(), func(tx storage.Tx) error {
		got, err := tx.Get(bucket, []byte(key))
		if errors.Is(err, storage.ErrNotFound) {
			err = nil
		}
		if string(got) != want {
			t.Errorf("Get(%s, %s): got %q, want %q", bucket, key, got, want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// runTool runs a program of PostgreSQL on a database of server.
func runTool(t *testing.T, server *postgrestest.Server, name, database string, args ...string) {
	t.Helper()
	all := append([]string{"-h", server.Folder(), "-U", "hush", "-d", database}, args...)
	if out, err := exec.CommandContext(t.Context(), server.Program(name), all...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// TestOwnTableIsLeftOut: a logical backup without the table of a bucket has none of
// its bytes, and the restored database serves the rest.
func TestOwnTableIsLeftOut(t *testing.T) {
	server, name := need(t), "left_out"
	opts := postgres.Options{Schema: name, OwnTables: []string{"epoch"}}
	store, shares := open(t, server, opts)
	putIn(t, store, "epoch", "hour", "the marker of a key")
	putIn(t, store, "secret", "one", "kept")
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{42})
	if err != nil {
		t.Fatal(err)
	}
	marker := []byte(hex.EncodeToString([]byte("the marker of a key")))
	dump := func(args ...string) (file string, raw []byte) {
		file = filepath.Join(t.TempDir(), "dump")
		runTool(t, server, "pg_dump", "postgres", append([]string{"-Fc", "-Z0", "-n", name, "-f", file}, args...)...)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return file, raw
	}
	if _, whole := dump(); !bytes.Contains(whole, marker) {
		t.Fatalf("a whole dump lacks the row: the check finds nothing")
	}
	file, part := dump("--exclude-table-data=" + name + ".record_epoch")
	if bytes.Contains(part, marker) {
		t.Errorf("a dump without record_epoch: got the row of the bucket, want it left out")
	}
	mustExec(t, server.URL("postgres"), "CREATE DATABASE restored")
	runTool(t, server, "pg_restore", "restored", file)
	restored, restoredShares, err := postgres.Open(t.Context(), server.URL("restored"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = restored.Close() })
	wantIn(t, restored, "secret", "one", "kept")
	wantIn(t, restored, "epoch", "hour", "")
	putIn(t, restored, "epoch", "next", "written")
	wantIn(t, restored, "epoch", "next", "written")
	if got, err := restoredShares.Get(t.Context(), slot); err != nil || got[0] != 42 {
		t.Errorf("Get(%v) in the restored database: got %x, %v, want the share", slot, got, err)
	}
	if next, err := restoredShares.Put(t.Context(), [storage.ShareSize]byte{1}); err != nil || next == slot {
		t.Errorf("Put in the restored database: got %v, %v, want another slot than %v", next, err, slot)
	}
}

// TestOwnTableLater: a bucket that has rows already gets a table of its own, while
// another node is running.
func TestOwnTableLater(t *testing.T) {
	server, name := need(t), "apart_later"
	before, _ := open(t, server, postgres.Options{Schema: name})
	putIn(t, before, "epoch", "hour", "old")
	putIn(t, before, "secret", "one", "kept")
	after, _ := open(t, server, postgres.Options{Schema: name, OwnTables: []string{"epoch", "other"}})
	putIn(t, before, "epoch", "next", "new")
	for _, s := range []storage.Store{before, after} {
		wantIn(t, s, "epoch", "hour", "old")
		wantIn(t, s, "epoch", "next", "new")
		wantIn(t, s, "secret", "one", "kept")
	}
	file := filepath.Join(t.TempDir(), "dump")
	runTool(t, server, "pg_dump", "postgres", "-n", name, "-f", file, "--exclude-table-data="+name+".record_epoch")
	raw, err := os.ReadFile(file)
	if err != nil || bytes.Contains(raw, []byte(hex.EncodeToString([]byte("old")))) || !bytes.Contains(raw, []byte(hex.EncodeToString([]byte("kept")))) {
		t.Errorf("a dump without record_epoch: got a row of it or %v, want only the other", err)
	}
}

func TestOwnTableNames(t *testing.T) {
	for _, name := range []string{"", "rest", "Epoch", "a b", `a"b`, "a'b", "a;b"} {
		if _, _, err := postgres.Open(t.Context(), "host=/nowhere", postgres.Options{OwnTables: []string{name}}); err == nil || errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("Open(own table %q): got %v, want it refused", name, err)
		}
	}
}

// everyRead is each way to find a row, with the error of one that is missing.
func everyRead(t *testing.T, store storage.Store, bucket, key string) map[string]func() error {
	get := func(tx storage.Tx) error { _, err := tx.Get(bucket, []byte(key)); return err }
	view := func(fn func(storage.Tx) error) func() error {
		return func() error { return store.View(t.Context(), fn) }
	}
	return map[string]func() error{
		"View(Get)":   view(get),
		"Update(Get)": func() error { return store.Update(t.Context(), get) },
		"View(Range)": view(func(tx storage.Tx) error {
			err := storage.ErrNotFound
			return errors.Join(tx.Range(bucket, nil, nil, func(_, _ []byte) error { err = nil; return nil }), err)
		}),
		"View(GetMany)": view(func(tx storage.Tx) error {
			values, err := tx.GetMany(bucket, [][]byte{[]byte(key), []byte("missing")})
			if err == nil && values[0] == nil {
				err = storage.ErrNotFound
			}
			return err
		}),
	}
}

// TestOwnTableAmidSnapshot: a bucket moves to a table of its own while a snapshot is
// about to begin, on a connection that has read the bucket where it was. Views, and
// updates, whose answers are not certified if they write nothing, find the bucket's
// rows where they are now, and do not answer that there are none.
func TestOwnTableAmidSnapshot(t *testing.T) {
	server, name := need(t), "apart_amid"
	store, _ := open(t, server, postgres.Options{Schema: name, ApplicationName: name})
	admin, err := pgconn.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	run := func(sql string) string {
		t.Helper()
		results, err := admin.Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if rows := results[len(results)-1].Rows; len(rows) == 1 {
			return string(rows[0][0])
		}
		return ""
	}
	run("SET search_path = " + name)
	for i, how := range slices.Sorted(maps.Keys(everyRead(t, store, "", ""))) {
		bucket := fmt.Sprintf("epoch%d", i)
		read := everyRead(t, store, bucket, "hour")[how]
		putIn(t, store, bucket, "hour", "old")
		if err := read(); err != nil {
			t.Fatal(err)
		}
		id := run("BEGIN; LOCK TABLE turn IN EXCLUSIVE MODE; SELECT id FROM bucket WHERE name = '" + bucket + "'")
		run("CREATE TABLE record_" + bucket + " (LIKE record INCLUDING ALL);" +
			"WITH moved AS (DELETE FROM record_rest WHERE bucket = " + id + " RETURNING bucket, key, value)" +
			" INSERT INTO record_" + bucket + " SELECT bucket, key, value FROM moved;" +
			"ALTER TABLE record ATTACH PARTITION record_" + bucket + " FOR VALUES IN (" + id + ")")
		done := make(chan error, 1)
		go func() { done <- read() }()
		await(t, server, "SELECT count(*) >= 1 FROM pg_stat_activity WHERE application_name = '"+name+"' AND wait_event_type = 'Lock'")
		run("COMMIT")
		if err := <-done; err != nil {
			t.Errorf("%s of a bucket that was set apart meanwhile: got %v, want nil", how, err)
		}
	}
}

// TestOwnTableWaitsForSnapshots: a snapshot that has begun before a bucket is set apart
// shows its rows to the end.
func TestOwnTableWaitsForSnapshots(t *testing.T) {
	server, name := need(t), "apart_waits"
	const never = 10 * time.Minute // ends a wait of the test
	store, _ := open(t, server, postgres.Options{Schema: name, StatementTimeout: never})
	putIn(t, store, "epoch", "hour", "old")
	putIn(t, store, "secret", "one", "kept")
	opened := make(chan error, 1)
	err := store.View(t.Context(), func(tx storage.Tx) error {
		if _, err := tx.Get("secret", []byte("one")); err != nil {
			return err
		}
		go func() {
			apart, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{
				Schema: name, ApplicationName: name + " 2", OwnTables: []string{"epoch"}, LockTimeout: never, StatementTimeout: never,
			})
			if err == nil {
				err = apart.Close()
			}
			opened <- err
		}()
		await(t, server, "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = '"+name+" 2' AND wait_event_type = 'Lock'")
		_, err := tx.Get("epoch", []byte("hour"))
		return err
	})
	if err := errors.Join(err, <-opened); err != nil {
		t.Errorf("View, and Open that sets a bucket apart: got %v, want nil", err)
	}
	wantIn(t, store, "epoch", "hour", "old")
}
