package postgres_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/storagetest"
)

// variants are the ways to commit that are compared.
var variants = []struct {
	name string
	postgres.Tuning
}{
	{"serializable-each", postgres.Tuning{Isolation: "serializable", Lanes: 12, MaxBatch: 1}},
	{"serializable-batched", postgres.Tuning{Isolation: "serializable", Lanes: 1}},
	{"certified-each", postgres.Tuning{Lanes: 12, MaxBatch: 1}},
	{"certified-batched", postgres.Tuning{Lanes: 1}},
	{"certified-batched-2", postgres.Tuning{Lanes: 2}},
}

// BenchmarkMix does what concealing and revealing do below the vault, half and
// half: some Gets, some Puts, some Deletes, on keys of which one bucket's are
// random and the others' in order. With nodes=2 the callers are spread over two
// stores.
func BenchmarkMix(b *testing.B) { benchmarkVariants(b, "") }

// BenchmarkHotMix is BenchmarkMix where each update also adds to one counter
// that all nodes share.
func BenchmarkHotMix(b *testing.B) { benchmarkVariants(b, "hot") }

func benchmarkVariants(b *testing.B, hot string) {
	for _, v := range variants {
		for _, nodes := range []int{1, 2, 4} {
			for _, callers := range []int{1, 16, 64, 256} {
				b.Run(fmt.Sprintf("%s/nodes=%d/callers=%d", v.name, nodes, callers), func(b *testing.B) {
					benchmarkMix(b, v.Tuning, nodes, callers, hot)
				})
			}
		}
	}
}

func benchmarkMix(b *testing.B, tuning postgres.Tuning, nodes, callers int, hot string) {
	benchmarkPairs(b, tuning, nodes, callers, hot, func(*postgres.Store, uint64) {})
}

// BenchmarkNotify is BenchmarkMix with a notification for each reveal, as the
// vault sends one, and without.
func BenchmarkNotify(b *testing.B) {
	for _, nodes := range []int{1, 2} {
		for name, notify := range map[string]func(*postgres.Store, uint64){
			"silent": func(*postgres.Store, uint64) {},
			"notify": func(s *postgres.Store, n uint64) { s.Notify(storage.Topic(randomKey(n))) },
		} {
			b.Run(fmt.Sprintf("%s/nodes=%d/callers=64", name, nodes), func(b *testing.B) {
				benchmarkPairs(b, postgres.Tuning{}, nodes, 64, "", notify)
			})
		}
	}
}

func benchmarkPairs(b *testing.B, tuning postgres.Tuning, nodes, callers int, hot string, notify func(*postgres.Store, uint64)) {
	name := schema(b)
	stores := make([]*postgres.Store, nodes)
	for i := range stores {
		stores[i] = openTuned(b, name, tuning)
		storagetest.Listen(b, stores[i])
	}
	value := make([]byte, 400)
	var next atomic.Uint64
	server := need(b)
	before, ownBefore := server.CPU(), ownCPU(b)
	b.ResetTimer()
	var all sync.WaitGroup
	for caller := range callers {
		store := stores[caller%nodes]
		all.Go(func() {
			for {
				n := next.Add(1)
				if n > uint64(b.N) {
					return
				}
				if err := errors.Join(conceal(b.Context(), store, n, value, hot), reveal(b.Context(), store, n, hot)); err != nil {
					b.Error(err)
					return
				}
				notify(store, n)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64((server.CPU()-before).Microseconds())/float64(b.N), "server-us/pair")
	b.ReportMetric(float64((ownCPU(b)-ownBefore).Microseconds())/float64(b.N), "hush-us/pair")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
	var commits, conflicts int64
	for _, s := range stores {
		commits += s.Commits()
		conflicts += s.Conflicts()
	}
	b.ReportMetric(float64(conflicts)/float64(max(1, commits)), "conflicts/commit")
	b.ReportMetric(2*float64(b.N)/float64(max(1, commits)), "updates/commit")
}

func openTuned(b testing.TB, name string, tuning postgres.Tuning) *postgres.Store {
	b.Helper()
	store, _, err := postgres.OpenTuned(b.Context(), need(b).URL("postgres"),
		postgres.Options{Schema: name, Patience: time.Minute}, tuning)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return store
}

func orderedKey(n uint64) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
	return append(binary.BigEndian.AppendUint64(nil, n), sum[:12]...)
}

func randomKey(n uint64) []byte {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
	return sum[:20]
}

func conceal(ctx context.Context, s storage.Store, n uint64, value []byte, hot string) error {
	return s.Update(ctx, func(tx storage.Tx) error {
		if err := addHot(tx, hot); err != nil {
			return err
		}
		if _, err := tx.Get("secret", orderedKey(n)); !errors.Is(err, storage.ErrNotFound) {
			return fmt.Errorf("secret %d: got error %w, want none stored", n, err)
		}
		if _, err := tx.Get("usage", randomKey(n)); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		return errors.Join(
			tx.Put("secret", orderedKey(n), value), tx.Put("metadata", orderedKey(n), value[:150]),
			tx.Put("expiry", orderedKey(n), value[:8]), tx.Put("usage", randomKey(n), value[:8]),
			tx.Put("audit", orderedKey(n), value[:60]),
		)
	})
}

func reveal(ctx context.Context, s storage.Store, n uint64, hot string) error {
	missing := s.View(ctx, func(tx storage.Tx) error {
		_, err := tx.Get("secret", orderedKey(n))
		return err
	})
	if missing != nil {
		return missing
	}
	return s.Update(ctx, func(tx storage.Tx) error {
		if err := addHot(tx, hot); err != nil {
			return err
		}
		secret, err := tx.Get("secret", orderedKey(n))
		if err != nil {
			return err
		}
		metadata, err := tx.Get("metadata", orderedKey(n))
		if err != nil {
			return err
		}
		return errors.Join(
			tx.Delete("secret", orderedKey(n)), tx.Delete("expiry", orderedKey(n)),
			tx.Delete("usage", randomKey(n)), tx.Put("metadata", orderedKey(n), metadata),
			tx.Put("shred", randomKey(n), secret[:16]), tx.Put("audit", append(orderedKey(n), 1), metadata[:60]),
		)
	})
}

func ownCPU(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func addHot(tx storage.Tx, name string) error {
	if name == "" {
		return nil
	}
	n, err := readCounter(tx, []byte(name))
	if err != nil {
		return err
	}
	return tx.Put("counters", []byte(name), binary.BigEndian.AppendUint64(nil, n+1))
}
