package postgres_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
)

// TestQuietRole: the server tells by a warning that a commit no longer waits for
// the standby. A role or database whose settings hide warnings must not make
// that a commit that is acknowledged.
func TestQuietRole(t *testing.T) {
	server := own(t)
	second := standby(t, server)
	mustExec(t, server.URL("postgres"), "ALTER ROLE hush SET client_min_messages = error")
	store, _ := openAt(t, server.URL("postgres"))
	putIn(t, store, "b", "key", "before")
	if err := second.Halt(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("key"), []byte("after")) })
	}()
	const waiting = " FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE "
	await(t, server, "SELECT count(pg_cancel_backend(pid)) = 1"+waiting+"'%apply%'")
	await(t, server, "SELECT count(*) = 1"+waiting+"'%pg_logical_emit_message%'")
	select {
	case err := <-done:
		t.Fatalf("Update that the standby lacks: got %v, want it to wait", err)
	default:
	}
	if err := second.Run(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("Update when the standby is back: got %v, want nil", err)
	}
}

// A database that is made read-only while a store runs is one that does not
// serve, until it may be written again.
func TestReadOnlyDatabase(t *testing.T) {
	server := own(t)
	store, shares, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Patience: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	putIn(t, store, "b", "key", "value")
	set := func(value string) {
		t.Helper()
		url := server.URL("postgres") + "&options=-c%20default_transaction_read_only%3Doff"
		mustExec(t, url, "ALTER SYSTEM SET default_transaction_read_only = "+value)
		mustExec(t, url, "SELECT pg_reload_conf()")
	}
	set("on")
	unavailable := func() bool {
		err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("key"), []byte("value")) })
		if err != nil && !errors.Is(err, storage.ErrUnavailable) {
			t.Fatalf("Update of a read-only database: got %v, want %v", err, storage.ErrUnavailable)
		}
		return err != nil
	}
	for !unavailable() {
		time.Sleep(time.Millisecond) // until the sessions have the setting
	}
	wantIn(t, store, "b", "key", "value")
	if _, err := shares.Put(t.Context(), [storage.ShareSize]byte{1}); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Put of a read-only database: got %v, want %v", err, storage.ErrUnavailable)
	}
	set("off")
	for unavailable() {
	}
}

// An administrator locks a table for long. Updates that wait for one another must
// not be made when their callers are long gone.
func TestLockedTable(t *testing.T) {
	server, name := need(t), "locked"
	store, _ := open(t, server, postgres.Options{Schema: name, Patience: time.Second, LockTimeout: 2 * time.Second})
	putIn(t, store, "b", "key", "value")
	admin, err := pgconn.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.Background())
	if _, err := admin.Exec(t.Context(), "BEGIN; LOCK TABLE locked.record IN SHARE MODE").ReadAll(); err != nil {
		t.Fatal(err)
	}
	const most, callers = 256, 300 // most is how many share a commit
	var ran atomic.Int64
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			first := true
			err := store.Update(t.Context(), func(tx storage.Tx) error {
				if first {
					ran.Add(1)
				}
				first = false
				return tx.Put("b", []byte{byte(i), byte(i >> 8), 1}, nil)
			})
			if !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("Update of a locked table: got %v, want %v", err, storage.ErrUnavailable)
			}
		})
	}
	all.Wait()
	if got := ran.Load(); got > most {
		t.Errorf("Updates that were tried: got %d, want at most %d", got, most)
	}
	if _, err := admin.Exec(t.Context(), "COMMIT").ReadAll(); err != nil {
		t.Fatal(err)
	}
	putIn(t, store, "b", "key", "value")
}

// An administrator drops the schema, and another node makes it anew. A node that
// knows the buckets of the old one must not write to the new one.
func TestReplacedSchema(t *testing.T) {
	server, opts := need(t), postgres.Options{Schema: "replaced", Patience: time.Second}
	old, _ := open(t, server, opts)
	putIn(t, old, "b", "key", "value")
	mustExec(t, server.URL("postgres"), "DROP SCHEMA replaced CASCADE")
	next, _ := open(t, server, opts)
	putIn(t, next, "other bucket", "key", "value")
	for range 2 {
		err := old.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("lost"), []byte("value")) })
		if !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("Update of another store: got %v, want %v", err, storage.ErrUnavailable)
		}
	}
	wantIn(t, next, "other bucket", "lost", "")
}
