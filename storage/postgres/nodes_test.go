package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/storagetest"
)

// spread is a store that gives each operation to the next of several nodes.
type spread struct {
	storage.Store // the first of them

	nodes []storage.Store
	next  atomic.Uint64
}

func (s *spread) node() storage.Store { return s.nodes[s.next.Add(1)%uint64(len(s.nodes))] }

func (s *spread) View(ctx context.Context, fn func(storage.Tx) error) error {
	return s.node().View(ctx, fn)
}

func (s *spread) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.node().Update(ctx, fn)
}

func (s *spread) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.node().UpdateReserved(ctx, fn)
}

func (s *spread) Close() error { return nil }

var checks = map[string]func(context.Context, storage.Store) error{
	"takers":     storagetest.CheckTakers,
	"counters":   storagetest.CheckCounters,
	"write skew": storagetest.CheckWriteSkew,
}

// openNodes opens nodes on one schema.
func openNodes(t testing.TB, n int, tuning postgres.Tuning) *spread {
	t.Helper()
	name := schema(t)
	s := &spread{}
	for range n {
		s.nodes = append(s.nodes, openTuned(t, name, tuning))
	}
	s.Store = s.nodes[0]
	return s
}

func TestNodesAreSerializable(t *testing.T) {
	for name, check := range checks {
		for _, tuning := range []postgres.Tuning{
			{}, {Lanes: 4, MaxBatch: 1}, {Lanes: 3, MaxBatch: 8}, {Isolation: "serializable", Lanes: 4},
		} {
			t.Run(fmt.Sprintf("%s/%+v", name, tuning), func(t *testing.T) {
				if err := check(t.Context(), openNodes(t, 3, tuning)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestCommitsAreForgotten: a writer leaves one row in commits, however many of
// its commits fail.
func TestCommitsAreForgotten(t *testing.T) {
	server, name := need(t), schema(t)
	nodes := &spread{}
	for range 3 {
		nodes.nodes = append(nodes.nodes, openTuned(t, name, postgres.Tuning{Lanes: 2, MaxBatch: 4}))
	}
	if err := storagetest.CheckCounters(t.Context(), nodes); err != nil {
		t.Fatal(err)
	}
	failed := int64(0)
	for _, node := range nodes.nodes {
		failed += node.(*postgres.Store).Conflicts()
	}
	pg, err := pgconn.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(context.Background())
	results, err := pg.Exec(t.Context(), `SELECT count(*) <= 6 FROM "`+name+`".commits`).ReadAll()
	if err != nil || string(results[0].Rows[0][0]) != "t" || failed == 0 {
		t.Errorf("commits after %d conflicts: got more than a row for each lane, or %v", failed, err)
	}
}

// The checks have to find nodes that commit without certifying what they read. Such
// nodes are wrong only where two commits meet, so one run of a check may see nothing.
func TestUncertifiedNodesAreRejected(t *testing.T) {
	const most = 20
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			for range most {
				nodes := openNodes(t, 3, postgres.Tuning{Isolation: "none", Lanes: 4, MaxBatch: 1})
				if err := check(t.Context(), nodes); err != nil {
					return
				}
			}
			t.Errorf("%s: got nil %d times, want an error", name, most)
		})
	}
}

// A default of the server for other isolation must not reach commits, which
// would certify against a snapshot from before the lock.
func TestOtherDefaultIsolation(t *testing.T) {
	server := own(t, "default_transaction_isolation='repeatable read'")
	nodes := &spread{}
	for range 3 {
		store, _ := open(t, server, postgres.Options{})
		nodes.nodes = append(nodes.nodes, store)
	}
	if err := storagetest.CheckTakers(t.Context(), nodes); err != nil {
		t.Error(err)
	}
}

// TestRangesAreCertified lets nodes add a row if a range is empty, or count its
// rows into a new one: a row that comes into a range that was read has to fail
// the reader.
func TestRangesAreCertified(t *testing.T) {
	nodes := openNodes(t, 3, postgres.Tuning{})
	const rounds, racers = 12, 12
	for round := range rounds {
		var all sync.WaitGroup
		errs := make([]error, racers)
		for i := range racers {
			all.Go(func() { errs[i] = addIfEmpty(t.Context(), nodes, round, i) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if n := countRows(t, nodes, round); n != 1 {
			t.Errorf("round %d: got %d rows, want 1", round, n)
		}
	}
}

func addIfEmpty(ctx context.Context, s storage.Store, round, i int) error {
	return s.Update(ctx, func(tx storage.Tx) error {
		stop := errors.New("not empty")
		err := tx.Range("rounds", fmt.Appendf(nil, "%03d/", round), fmt.Appendf(nil, "%03d0", round),
			func(_, _ []byte) error { return stop })
		if errors.Is(err, stop) {
			return nil
		}
		return errors.Join(err, tx.Put("rounds", fmt.Appendf(nil, "%03d/%03d", round, i), nil))
	})
}

func countRows(t *testing.T, s storage.Store, round int) (n int) {
	t.Helper()
	err := s.View(t.Context(), func(tx storage.Tx) error {
		n = 0
		return tx.Range("rounds", fmt.Appendf(nil, "%03d/", round), fmt.Appendf(nil, "%03d0", round),
			func(_, _ []byte) error { n++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLongRange reads more than a few pages, with changes above them.
func TestLongRange(t *testing.T) {
	store, _ := open(t, need(t), postgres.Options{Schema: schema(t)})
	const rows = 5000
	key := func(i int) []byte { return fmt.Appendf(nil, "%06d", i) }
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		for i := range rows {
			if err := tx.Put("long", key(2*i), make([]byte, i%700)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Update(t.Context(), func(tx storage.Tx) error {
		for i := range rows {
			switch i % 3 {
			case 0:
				_ = tx.Delete("long", key(2*i))
			case 1:
				_ = tx.Put("long", key(2*i+1), []byte("odd"))
			}
		}
		var got, want []string
		for i := range rows {
			if i%3 != 0 {
				want = append(want, string(key(2*i)))
			}
			if i%3 == 1 {
				want = append(want, string(key(2*i+1)))
			}
		}
		err := tx.Range("long", nil, nil, func(k, _ []byte) error { got = append(got, string(k)); return nil })
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("Range: got %d keys, want %d others", len(got), len(want))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSharesOfNodes(t *testing.T) {
	server, name := need(t), schema(t)
	_, one := open(t, server, postgres.Options{Schema: name})
	_, two := open(t, server, postgres.Options{Schema: name})
	nodes := []*postgres.Shares{one, two}
	var mu sync.Mutex
	seen := map[storage.Slot][storage.ShareSize]byte{}
	var all sync.WaitGroup
	for i := range 400 {
		all.Go(func() {
			share := [storage.ShareSize]byte{byte(i), byte(i >> 8), 1}
			slot, err := nodes[i%2].Put(t.Context(), share)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[slot] = share
		})
	}
	all.Wait()
	if len(seen) != 400 {
		t.Fatalf("400 Puts on two nodes: got %d slots, want 400", len(seen))
	}
	for slot, want := range seen {
		if got, err := two.Get(t.Context(), slot); err != nil || got != want {
			t.Fatalf("Get(%v) on the other node: got %x, %v, want %x", slot, got, err, want)
		}
		if err := two.Destroy(t.Context(), slot); err != nil {
			t.Fatal(err)
		}
		if _, err := one.Get(t.Context(), slot); !errors.Is(err, storage.ErrShareGone) {
			t.Fatalf("Get(%v) after Destroy on the other node: got %v, want %v", slot, err, storage.ErrShareGone)
		}
		break
	}
}

// TestOpenTogether lets nodes that find an empty database create the schema.
func TestOpenTogether(t *testing.T) {
	server, name := need(t), schema(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			store, _, err := postgres.Open(t.Context(), server.URL("postgres"), postgres.Options{Schema: name, Patience: time.Minute})
			if err != nil {
				t.Errorf("Open: got %v, want nil", err)
				return
			}
			if err := store.Close(); err != nil {
				t.Errorf("Close: got %v, want nil", err)
			}
		})
	}
	all.Wait()
}
