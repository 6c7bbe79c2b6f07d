package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
)

// reload changes a setting of a running server. Each session gets it before its
// next statement once it runs in a new session.
func reload(t *testing.T, server *postgrestest.Server, setting, value string) {
	t.Helper()
	pg, err := pgconn.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(context.Background())
	for _, sql := range []string{fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", setting, value), "SELECT pg_reload_conf()"} {
		if _, err := pg.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	await(t, server, fmt.Sprintf("SELECT current_setting('%s') = '%s'", setting, value))
}

// everyWrite is each way to make something durable.
func everyWrite(t *testing.T, store *postgres.Store, shares *postgres.Shares, slot storage.Slot) map[string]func() error {
	n := 0
	return map[string]func() error{
		"Update": func() error { return addOne(t.Context(), store, 0) },
		"Put": func() error {
			_, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
			return err
		},
		"Destroy": func() error { return shares.Destroy(t.Context(), slot) },
		"Update(new bucket)": func() error {
			n++
			return store.Update(t.Context(), func(tx storage.Tx) error {
				return tx.Put(fmt.Sprint("bucket ", n), []byte("key"), nil)
			})
		},
	}
}

// TestReloadedSynchronousCommit: the administrator lets the server acknowledge
// commits before they are on the disk, and reloads its settings. Connections
// that are open must not follow: after a crash all that they acknowledged is there.
func TestReloadedSynchronousCommit(t *testing.T) {
	server := own(t, "wal_writer_delay=10000") // nothing is written behind a commit's back
	store, shares := open(t, server, postgres.Options{})
	putIn(t, store, "b", "key", "before")
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	reload(t, server, "synchronous_commit", "off")
	const many = 20
	var slots []storage.Slot
	for i := range many {
		putIn(t, store, "b", "key", fmt.Sprint(i))
		made, err := shares.Put(t.Context(), [storage.ShareSize]byte{2, byte(i)})
		if err != nil {
			t.Fatal(err)
		}
		slots = append(slots, made)
	}
	if err := shares.Destroy(t.Context(), slot); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.Crash(), server.Configure("synchronous_commit=on")); err != nil {
		t.Fatal(err)
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, server.URL("postgres"), "ALTER SYSTEM RESET synchronous_commit")
	mustExec(t, server.URL("postgres"), "SELECT pg_reload_conf()")
	await(t, server, "SELECT current_setting('synchronous_commit') = 'on'")
	wantIn(t, store, "b", "key", fmt.Sprint(many-1))
	for i, made := range slots {
		want := [storage.ShareSize]byte{2, byte(i)}
		if got, err := shares.Get(t.Context(), made); err != nil || got != want {
			t.Errorf("Get(%v) after the crash: got %x, %v, want %x", made, got, err, want)
		}
	}
	if _, err := shares.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) {
		t.Errorf("Get(destroyed before the crash): got %v, want %v", err, storage.ErrShareGone)
	}
}

// TestReloadedLocalCommit: synchronous_commit is set to local while the
// synchronous standby is away. What an open connection commits waits for it.
func TestReloadedLocalCommit(t *testing.T) {
	server := own(t)
	second := standby(t, server)
	store, shares := openAt(t, server.URL("postgres"))
	putIn(t, store, "b", "key", "before")
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range []string{"local", "remote_write"} {
		reload(t, server, "synchronous_commit", value)
		if err := second.Halt(); err != nil {
			t.Fatal(err)
		}
		writes := []func() error{
			func() error {
				return store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("key"), []byte("after")) })
			},
			func() error { _, err := shares.Put(t.Context(), [storage.ShareSize]byte{1}); return err },
			func() error { return shares.Destroy(t.Context(), slot) },
		}
		done := make(chan error, len(writes))
		for _, write := range writes {
			go func() { done <- write() }()
		}
		waiting := fmt.Sprintf("SELECT count(*) = %d FROM pg_stat_activity WHERE wait_event = 'SyncRep'", len(writes))
		for queryText(t, server.URL("postgres"), waiting) != "t" {
			select {
			case err := <-done:
				t.Fatalf("a write with %s and without the standby: got %v, want it to wait", value, err)
			case <-time.After(10 * time.Millisecond):
			}
		}
		if err := second.Run(); err != nil {
			t.Fatal(err)
		}
		for range writes {
			if err := <-done; err != nil {
				t.Errorf("a write with %s when the standby is back: got %v, want nil", value, err)
			}
		}
		if i == 0 {
			reload(t, server, "synchronous_commit", "on")
		}
	}
}

// TestReloadedSettings: settings without which a crash loses or damages what was
// acknowledged go off under open connections. Nothing is written until they are on
// again, and the error says which.
func TestReloadedSettings(t *testing.T) {
	server := own(t)
	store, shares, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Patience: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, setting := range []string{"fsync", "full_page_writes"} {
		slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{3})
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range everyWrite(t, store, shares, slot) {
			putIn(t, store, "b", "key", "value") // a connection is open
			reload(t, server, setting, "off")
			err := write()
			if !errors.Is(err, postgres.ErrUnavailable) || !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), setting+" is off") {
				t.Errorf("%s after %s went off: got %v, want it refused with the reason", name, setting, err)
			}
			reload(t, server, setting, "on")
			if err := write(); err != nil {
				t.Errorf("%s after %s is on again: got %v, want nil", name, setting, err)
			}
		}
	}
}

// A newer release has changed the schema so that this one must not use it. A node
// that is running stops with the reason, and changes nothing any more.
func TestTooOldUnderway(t *testing.T) {
	server, name := need(t), schema(t)
	store, shares := open(t, server, postgres.Options{Schema: name, Patience: time.Second})
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{3})
	if err != nil {
		t.Fatal(err)
	}
	set := func(version int) {
		t.Helper()
		mustExec(t, server.URL("postgres"), fmt.Sprintf(`UPDATE "%s".version SET version = %d, oldest = %[2]d`, name, version))
	}
	for what, write := range everyWrite(t, store, shares, slot) {
		putIn(t, store, "b", "key", "value")
		set(99)
		if err := write(); !errors.Is(err, postgres.ErrNewerSchema) {
			t.Errorf("%s on a newer schema: got %v, want %v", what, err, postgres.ErrNewerSchema)
		}
		set(1)
		if err := write(); err != nil {
			t.Errorf("%s when it may again: got %v, want nil", what, err)
		}
	}
}

// A schema is dropped and made anew under a running node. Its shares begin again
// at the same numbers, and must not be destroyed by a node of the old store.
func TestSharesOfReplacedSchema(t *testing.T) {
	server, opts := need(t), postgres.Options{Schema: "replaced shares", Patience: time.Second}
	_, old := open(t, server, opts)
	share := [storage.ShareSize]byte{4}
	before, err := old.Put(t.Context(), share)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, server.URL("postgres"), `DROP SCHEMA "replaced shares" CASCADE`)
	_, next := open(t, server, opts)
	slot, err := next.Put(t.Context(), share)
	if err != nil || slot.Number != before.Number {
		t.Fatalf("Put: got %v, %v, want the number %d", slot, err, before.Number)
	}
	if err := old.Destroy(t.Context(), slot); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Destroy in another store: got %v, want %v", err, storage.ErrUnavailable)
	}
	if _, err := old.Put(t.Context(), share); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("Put into another store: got %v, want %v", err, storage.ErrUnavailable)
	}
	if got, err := next.Get(t.Context(), slot); err != nil || got != share {
		t.Errorf("Get: got %x, %v, want the share", got, err)
	}
}
