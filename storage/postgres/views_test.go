package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/postgres"
)

// openViews opens a store whose views are soon long, and which has a row in bucket b.
func openViews(t *testing.T, opts postgres.Options, tuning postgres.Tuning) *postgres.Store {
	t.Helper()
	opts.Schema = schema(t)
	store, _, err := postgres.OpenTuned(t.Context(), need(t).URL("postgres"), opts, tuning)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	putIn(t, store, "b", "key", "value")
	return store
}

// slowView is a view that reads, stands still, and reads again.
type slowView struct {
	goOn chan struct{}
	done chan error
}

// standStill begins a view and returns once it stands still.
func standStill(t *testing.T, store storage.Store) slowView {
	t.Helper()
	v := slowView{make(chan struct{}), make(chan error, 1)}
	stands := make(chan struct{})
	go func() {
		v.done <- store.View(t.Context(), func(tx storage.Tx) error {
			if _, err := tx.Get("b", []byte("key")); err != nil {
				return err
			}
			close(stands)
			<-v.goOn
			return tx.Range("b", nil, nil, func(_, _ []byte) error { return nil })
		})
	}()
	select {
	case <-stands:
	case err := <-v.done:
		t.Fatalf("View: got %v before it stood still", err)
	}
	return v
}

func (v slowView) end() error {
	close(v.goOn)
	return <-v.done
}

// wantView reads in a view, which gives up before the run of the tests does.
func wantView(t *testing.T, store storage.Store, when string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	err := store.View(ctx, func(tx storage.Tx) error { _, err := tx.Get("b", []byte("key")); return err })
	if err != nil {
		t.Errorf("View %s: got %v, want nil", when, err)
	}
}

// As many views as are open at a time take long, as those of a list of millions.
// Others are served beside them, and they end well themselves.
func TestLongViewsHoldUpNoOthers(t *testing.T) {
	patient := postgres.Options{StatementTimeout: 10 * time.Minute, Patience: 10 * time.Minute}
	for _, conns := range []int{4, 8, 16} {
		patient.MaxConns = conns
		store := openViews(t, patient, postgres.Tuning{Long: 1})
		var slow []slowView
		for range map[int]int{4: 1, 8: 3, 16: 4}[conns] {
			slow = append(slow, standStill(t, store))
		}
		wantView(t, store, "beside long ones")
		putIn(t, store, "b", "key", "later")
		for _, v := range slow {
			if err := v.end(); err != nil {
				t.Errorf("View that took long, of %d connections: got %v, want nil", conns, err)
			}
		}
	}
}

// Views stand still, as after a stop of what they wait for: far more than there are
// connections. The server ends their snapshots; the node serves others on the
// connections.
func TestStalledViewsGiveWay(t *testing.T) {
	store := openViews(t, postgres.Options{Patience: 10 * time.Minute}, postgres.Tuning{Long: 1, Stalled: 1})
	var slow []slowView
	for range 24 {
		slow = append(slow, standStill(t, store))
	}
	wantView(t, store, "beside stalled ones")
	putIn(t, store, "b", "key", "later")
	for i, v := range slow {
		err := v.end()
		if err != nil && !errors.Is(err, storage.ErrUnavailable) || err == nil && i == 0 {
			t.Errorf("View %d, which stood still: got %v, want %v", i, err, storage.ErrUnavailable)
		}
	}
	wantView(t, store, "after them")
}

// Where no view may give way, those that wait are told after Patience, and served once
// there is room.
func TestViewsWaitNoLongerThanPatience(t *testing.T) {
	forever := time.Hour
	store := openViews(t, postgres.Options{MaxConns: 4, Patience: time.Second}, postgres.Tuning{Long: forever, Stalled: forever})
	v := standStill(t, store)
	if err := store.View(t.Context(), func(storage.Tx) error { return nil }); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("View without room: got %v, want %v", err, postgres.ErrUnavailable)
	}
	if err := v.end(); err != nil {
		t.Errorf("View that had room: got %v, want nil", err)
	}
	wantView(t, store, "with room again")
}
