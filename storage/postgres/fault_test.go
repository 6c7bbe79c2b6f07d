package postgres_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/testtier"
)

const faultCounters = 3

// addOne adds to a counter. A commit that is made twice or lost shows.
func addOne(ctx context.Context, s storage.Store, i int) error {
	return s.Update(ctx, func(tx storage.Tx) error {
		key := fmt.Appendf(nil, "counter-%d", i%faultCounters)
		n, err := readCounter(tx, key)
		if err != nil {
			return err
		}
		// A row of its own makes some batches differ only in what they write.
		return errors.Join(
			tx.Put("counters", key, binary.BigEndian.AppendUint64(nil, n+1)),
			tx.Put("rows", fmt.Appendf(nil, "%d/%d", i%faultCounters, n+1), nil),
		)
	})
}

func readCounter(tx storage.Tx, key []byte) (uint64, error) {
	value, err := tx.Get("counters", key)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(value), nil
}

// countAmid lets callers add on nodes while disturb runs, and checks that each
// addition that was confirmed counts once and each that was refused not at all.
func countAmid(t *testing.T, nodes []storage.Store, reader storage.Store, disturb func(stop <-chan struct{})) {
	t.Helper()
	const callers, each = 8, 60
	var mu sync.Mutex
	confirmed, unknown := 0, 0
	stop := make(chan struct{})
	var disturbing, all sync.WaitGroup
	disturbing.Go(func() { disturb(stop) })
	for caller := range callers {
		all.Go(func() {
			for i := range each {
				err := addOne(t.Context(), nodes[caller%len(nodes)], i)
				mu.Lock()
				switch {
				case err == nil:
					confirmed++
				case errors.Is(err, storage.ErrUnknownOutcome):
					unknown++
				case !errors.Is(err, postgres.ErrUnavailable):
					t.Errorf("Update: got %v, want %v at most", err, postgres.ErrUnavailable)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	close(stop)
	disturbing.Wait()
	counted := 0
	err := reader.View(t.Context(), func(tx storage.Tx) error {
		counted = 0
		for i := range faultCounters {
			n, err := readCounter(tx, fmt.Appendf(nil, "counter-%d", i))
			if err != nil {
				return err
			}
			counted += int(n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if counted < confirmed || counted > confirmed+unknown {
		t.Errorf("counters: got %d, want %d (and up to %d of unknown outcome)", counted, confirmed, unknown)
	}
	if confirmed == 0 {
		t.Errorf("no update was confirmed")
	}
	t.Logf("%d confirmed, %d unknown, of %d", confirmed, unknown, callers*each)
}

func startProxy(t *testing.T, server *postgrestest.Server) *postgrestest.Proxy {
	t.Helper()
	p, err := postgrestest.StartProxy(server, rand.IntN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestCutConnections(t *testing.T) {
	testtier.Full(t, "cuts connections at random")
	server, name := need(t), schema(t)
	reader, _ := open(t, server, postgres.Options{Schema: name})
	p := startProxy(t, server)
	var nodes []storage.Store
	for range 2 {
		store, _, err := postgres.Open(t.Context(), p.URL("postgres"), postgres.Options{Schema: name, Patience: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		nodes = append(nodes, store)
	}
	p.CutOneIn(12)
	countAmid(t, nodes, reader, func(<-chan struct{}) {})
	p.CutOneIn(0)
	if p.Cuts() == 0 {
		t.Errorf("proxy: cut nothing")
	}
	t.Logf("%d cuts", p.Cuts())
}

// TestUnknownOutcome: a commit was sent, its connection broke, and no server can be
// asked. Other updates go on afterwards, and the late commit counts once or not
// at all.
func TestUnknownOutcome(t *testing.T) {
	server, name := need(t), schema(t)
	p := startProxy(t, server)
	store, _, err := postgres.Open(t.Context(), p.URL("postgres"), postgres.Options{Schema: name, Patience: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	put := func(value string) error {
		return store.Update(t.Context(), func(tx storage.Tx) error { return tx.Put("b", []byte("key"), []byte(value)) })
	}
	if err := put("before"); err != nil {
		t.Fatal(err)
	}
	p.Mute(true)
	if err := put("during"); !errors.Is(err, storage.ErrUnknownOutcome) {
		t.Errorf("Update(commit without answer): got %v, want %v", err, storage.ErrUnknownOutcome)
	}
	if err := put("later"); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("Update(no connection): got %v, want %v", err, postgres.ErrUnavailable)
	}
	p.Mute(false)
	if err := put("after"); err != nil {
		t.Errorf("Update after it: got %v, want nil", err)
	}
	err = store.View(t.Context(), func(tx storage.Tx) error {
		if value, err := tx.Get("b", []byte("key")); err != nil || string(value) != "after" {
			t.Errorf("Get: got %q, %v, want after", value, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// disturber runs statements as another client of the server.
func disturber(t *testing.T, server *postgrestest.Server, sql string) func(stop <-chan struct{}) {
	return func(stop <-chan struct{}) {
		pg, err := pgconn.Connect(t.Context(), server.URL("postgres"))
		if err != nil {
			t.Error(err)
			return
		}
		defer pg.Close(context.Background())
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if _, err := pg.Exec(context.Background(), sql).ReadAll(); err != nil {
				t.Error(err)
				return
			}
		}
	}
}

func TestTerminatedBackends(t *testing.T) {
	testtier.Full(t, "ends sessions at random")
	server, name := need(t), schema(t)
	var nodes []storage.Store
	for range 2 {
		store, _ := open(t, server, postgres.Options{Schema: name, ApplicationName: name, Patience: time.Minute})
		nodes = append(nodes, store)
	}
	kill := fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '%s' AND random() < 0.5", name)
	countAmid(t, nodes, nodes[0], disturber(t, server, kill))
}

func TestCanceledStatements(t *testing.T) {
	testtier.Full(t, "cancels statements at random")
	server, name := need(t), schema(t)
	store, _ := open(t, server, postgres.Options{Schema: name, ApplicationName: name, Patience: time.Minute})
	cancel := fmt.Sprintf("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = '%s' AND random() < 0.5", name)
	countAmid(t, []storage.Store{store}, store, disturber(t, server, cancel))
}

func TestCrashesOfTheServer(t *testing.T) {
	testtier.Full(t, "crashes PostgreSQL at random")
	server := own(t)
	var nodes []storage.Store
	for range 2 {
		store, _ := open(t, server, postgres.Options{Patience: time.Minute})
		nodes = append(nodes, store)
	}
	countAmid(t, nodes, nodes[1], func(stop <-chan struct{}) {
		for range 3 {
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
			if err := errors.Join(server.Crash(), server.Run()); err != nil {
				t.Error(err)
				return
			}
		}
	})
}

// TestRestartBetween: connections that lie ready and are dead by now are
// replaced, for reads, updates and shares alike.
func TestRestartBetween(t *testing.T) {
	server := own(t)
	store, shares := open(t, server, postgres.Options{})
	if err := addOne(t.Context(), store, 0); err != nil {
		t.Fatal(err)
	}
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{7})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(server.Crash(), server.Run()); err != nil {
			t.Fatal(err)
		}
		if share, err := shares.Get(t.Context(), slot); err != nil || share != [storage.ShareSize]byte{7} {
			t.Errorf("Get after restart: got %x, %v, want the share", share, err)
		}
		err := store.View(t.Context(), func(tx storage.Tx) error {
			n, err := readCounter(tx, []byte("counter-0"))
			if n == 0 {
				t.Errorf("counter after restart: got 0")
			}
			return err
		})
		if err := errors.Join(err, addOne(t.Context(), store, 0)); err != nil {
			t.Errorf("after restart: got %v, want nil", err)
		}
	}
}

// TestUnavailable: a server that stays away is told within the bound, and the
// store goes on when it is back.
func TestUnavailable(t *testing.T) {
	server := own(t)
	store, shares := open(t, server, postgres.Options{Patience: 200 * time.Millisecond})
	if err := addOne(t.Context(), store, 0); err != nil {
		t.Fatal(err)
	}
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	if err := addOne(t.Context(), store, 0); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("Update without a server: got %v, want %v", err, postgres.ErrUnavailable)
	}
	view := func() error {
		return store.View(t.Context(), func(tx storage.Tx) error { _, err := readCounter(tx, []byte("counter-0")); return err })
	}
	if err := view(); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("View without a server: got %v, want %v", err, postgres.ErrUnavailable)
	}
	if _, err := shares.Put(t.Context(), [storage.ShareSize]byte{}); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("Put without a server: got %v, want %v", err, postgres.ErrUnavailable)
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(view(), addOne(t.Context(), store, 0)); err != nil {
		t.Errorf("after the server came back: got %v, want nil", err)
	}
}
