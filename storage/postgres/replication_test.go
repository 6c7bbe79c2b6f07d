package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
)

// either returns a target that names two servers.
func either(first, second *postgrestest.Server) string {
	return "postgres:///postgres?" + url.Values{"host": {first.Folder() + "," + second.Folder()}, "user": {"hush"}}.Encode()
}

func openAt(t *testing.T, target string) (*postgres.Store, *postgres.Shares) {
	t.Helper()
	store, shares, err := postgres.Open(t.Context(), target, postgres.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store, shares
}

func TestReplicaIsRefused(t *testing.T) {
	server := own(t)
	second := standby(t, server)
	_, _, err := postgres.Open(t.Context(), second.URL("postgres"), postgres.Options{})
	if !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), "replica") {
		t.Errorf("Open(replica): got %v, want %v and why", err, postgres.ErrRefused)
	}
	store, _ := openAt(t, either(second, server))
	putIn(t, store, "b", "key", "value")
	wantIn(t, store, "b", "key", "value")
}

// TestSharesOverFailover promotes the synchronous standby while shares are put
// and destroyed. No slot is handed out twice, and what was confirmed holds.
func TestSharesOverFailover(t *testing.T) {
	server := own(t)
	second := standby(t, server)
	var nodes []*postgres.Shares
	for range 2 {
		_, shares := openAt(t, either(server, second))
		nodes = append(nodes, shares)
	}
	const callers, each = 8, 60
	var mu sync.Mutex
	kept, destroyed := map[storage.Slot][storage.ShareSize]byte{}, map[storage.Slot]bool{}
	var all sync.WaitGroup
	half := make(chan struct{}, callers)
	for caller := range callers {
		all.Go(func() {
			for i := range each {
				if i == each/3 {
					half <- struct{}{}
				}
				share := [storage.ShareSize]byte{byte(caller), byte(i), 1}
				slot, err := nodes[caller%2].Put(t.Context(), share)
				if err != nil {
					t.Errorf("Put: got %v, want nil", err)
					continue
				}
				drop := i%3 == 0
				if drop {
					if err := nodes[(caller+1)%2].Destroy(t.Context(), slot); err != nil {
						t.Errorf("Destroy: got %v, want nil", err)
					}
				}
				mu.Lock()
				if _, twice := kept[slot]; twice || destroyed[slot] {
					t.Errorf("Put: got slot %v twice", slot)
				}
				if destroyed[slot] = drop; !drop {
					kept[slot] = share
				}
				mu.Unlock()
			}
		})
	}
	<-half
	if err := errors.Join(server.Crash(), second.Promote()); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for slot, want := range kept {
		if got, err := nodes[0].Get(t.Context(), slot); err != nil || got != want {
			t.Errorf("Get(%v): got %x, %v, want %x", slot, got, err, want)
		}
	}
	for slot, gone := range destroyed {
		if _, err := nodes[0].Get(t.Context(), slot); gone && !errors.Is(err, storage.ErrShareGone) {
			t.Errorf("Get(%v) after Destroy: got %v, want %v", slot, err, storage.ErrShareGone)
		}
	}
}

// TestUnconfirmedCommits: a primary that crashes while commits wait for the
// standby shows them afterwards, though the standby lacks them. Nothing may be
// acknowledged before it has them.
func TestUnconfirmedCommits(t *testing.T) {
	server := own(t)
	second := standby(t, server)
	store, shares := openAt(t, server.URL("postgres"))
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	putIn(t, store, "b", "key", "before")
	if err := second.Halt(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	go func() { done <- shares.Destroy(t.Context(), slot) }()
	go func() {
		done <- store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("key"), []byte("after")) })
	}()
	awaitSync := func(query string) {
		t.Helper()
		await(t, server, "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '"+query+"'")
	}
	awaitSync("%")
	if err := errors.Join(server.Crash(), server.Run()); err != nil {
		t.Fatal(err)
	}
	awaitSync("%pg_logical_emit_message%")
	select {
	case err := <-done:
		t.Fatalf("an operation without the standby: got %v, want it to wait", err)
	default:
	}
	if err := second.Run(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Errorf("operations when the standby is back: got %v, want nil", err)
	}
	wantIn(t, store, "b", "key", "after")
}

// await polls until a query returns true.
func await(t *testing.T, server *postgrestest.Server, sql string) {
	t.Helper()
	for range 3000 {
		if queryText(t, server.URL("postgres"), sql) == "t" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: got false for long, want true", sql)
}

// queryText returns the one value that a query answers.
func queryText(t *testing.T, url, sql string) string {
	t.Helper()
	pg, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(context.Background())
	results, err := pg.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return string(results[0].Rows[0][0])
}

// TestAsynchronousStandbyLoses shows what is lost when a standby that no
// commit waited for is promoted: what was acknowledged while it lagged. What is written
// afterwards is not mixed up with that.
func TestAsynchronousStandbyLoses(t *testing.T) {
	server := own(t)
	second, err := server.Standby("second")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := second.Stop(); err != nil {
			t.Error(err)
		}
	})
	old, oldShares := openAt(t, either(server, second))
	putIn(t, old, "b", "early", "arrived")
	await(t, server, "SELECT count(*) = 1 FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()")
	if err := second.Halt(); err != nil {
		t.Fatal(err)
	}
	putIn(t, old, "b", "late", "acknowledged")
	const many = 40 // more numbers than the log of a sequence is ahead
	names := make([]string, many)
	for i := range names {
		names[i] = fmt.Sprintf("name %d", i)
		putIn(t, old, names[i], "key", "acknowledged")
	}
	var lost []storage.Slot
	for i := range many {
		slot, err := oldShares.Put(t.Context(), [storage.ShareSize]byte{1, byte(i)})
		if err != nil {
			t.Fatal(err)
		}
		lost = append(lost, slot)
	}
	if err := errors.Join(server.Crash(), second.Run(), second.Promote()); err != nil {
		t.Fatal(err)
	}
	next, nextShares := openAt(t, either(server, second))
	putIn(t, next, "other name", "key", "of another bucket")
	for i := range 2 * many {
		if _, err := nextShares.Put(t.Context(), [storage.ShareSize]byte{2, byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	// The node knows a number that means another bucket now, and says that it has
	// to be asked again.
	err = old.View(t.Context(), func(tx storage.Tx) error { _, err := tx.Get(names[0], []byte("key")); return err })
	if !errors.Is(err, storage.ErrUnavailable) && !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("View after the loss: got %v, want %v", err, storage.ErrUnavailable)
	}
	wantIn(t, old, "b", "early", "arrived")
	wantIn(t, old, "b", "late", "")
	for _, name := range names {
		wantIn(t, old, name, "key", "")
		putIn(t, old, name, "key", "written again")
	}
	wantIn(t, next, "other name", "key", "of another bucket")
	for _, slot := range lost {
		if _, err := oldShares.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) {
			t.Errorf("Get(%v) of a lost share: got %v, want %v", slot, err, storage.ErrShareGone)
		}
	}
	wantNeeded(t, old, lost[0], storage.ErrShareGone)
	there, err := oldShares.Put(t.Context(), [storage.ShareSize]byte{3})
	if err != nil {
		t.Fatal(err)
	}
	wantNeeded(t, old, there, nil)
	lost = append(lost, there)
	if err := oldShares.Destroy(t.Context(), lost...); err != nil {
		t.Fatal(err)
	}
	await(t, second, `SELECT count(*) = 80 FROM hush.share`)
}

// wantNeeded writes what a share opens.
func wantNeeded(t *testing.T, store storage.Store, slot storage.Slot, want error) {
	t.Helper()
	key := fmt.Sprint(slot)
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		tx.NeedShare(slot)
		return tx.Put("owners", []byte(key), []byte("sealed"))
	})
	if !errors.Is(err, want) {
		t.Errorf("Update that needs the share %v: got %v, want %v", slot, err, want)
	}
	kept := "sealed"
	if want != nil {
		kept = ""
	}
	wantIn(t, store, "owners", key, kept)
}

// Settings that go bad while a store runs are found by its next connection. That
// commits need not wait for the disk concerns no session of Hush.
func TestReconnectChecksSettings(t *testing.T) {
	server := own(t)
	store, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Patience: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, setting := range []string{"fsync", "full_page_writes"} {
		set := func(value string) error {
			return errors.Join(server.Halt(), server.Configure(fmt.Sprintf("%s=%s", setting, value)), server.Run())
		}
		if err := set("off"); err != nil {
			t.Fatal(err)
		}
		if err := addOne(t.Context(), store, 0); !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), setting) {
			t.Errorf("Update after %s went off: got %v, want it refused", setting, err)
		}
		if err := set("on"); err != nil {
			t.Fatal(err)
		}
		if err := addOne(t.Context(), store, 0); err != nil {
			t.Errorf("Update after %s is on again: got %v, want nil", setting, err)
		}
	}
	if err := errors.Join(server.Halt(), server.Configure("synchronous_commit=off"), server.Run()); err != nil {
		t.Fatal(err)
	}
	if err := addOne(t.Context(), store, 0); err != nil {
		t.Errorf("Update after synchronous_commit went off: got %v, want nil", err)
	}
	var set []string
	if err := store.ReadInEach(t.Context(), "SHOW synchronous_commit", &set); err != nil || len(set) == 0 {
		t.Fatalf("SHOW synchronous_commit in the sessions: got %q, %v", set, err)
	}
	for _, value := range set {
		if value != "on" {
			t.Errorf("synchronous_commit of a session: got %s, want on", value)
		}
	}
}
