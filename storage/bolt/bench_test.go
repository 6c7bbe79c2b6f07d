package bolt_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/memory"
)

const preloaded = 100_000

// The first two are for comparison with each other: own commits, and those of
// bbolt with the same options.

func BenchmarkUpdate(b *testing.B) {
	for _, callers := range []int{1, 64, 256} {
		for _, order := range []keyOrder{randomKeys, creationKeys} {
			b.Run(fmt.Sprintf("%s/callers=%d", order.name, callers), func(b *testing.B) {
				store, _, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
				preload(b, store, order)
				value := make([]byte, 600)
				parallel(b, callers, func(n uint64) error {
					return store.Update(b.Context(), func(tx storage.Tx) error {
						return tx.Put("bench", order.key(n), value)
					})
				})
			})
		}
	}
}

func BenchmarkBatchOfBbolt(b *testing.B) {
	for _, callers := range []int{64, 256} {
		for _, order := range []keyOrder{randomKeys, creationKeys} {
			b.Run(fmt.Sprintf("%s/callers=%d", order.name, callers), func(b *testing.B) {
				db := openRaw(b)
				preload(b, rawStore{db: db}, order)
				value := make([]byte, 600)
				parallel(b, callers, func(n uint64) error {
					return db.Batch(func(tx *bbolt.Tx) error {
						return tx.Bucket([]byte("bench")).Put(order.key(n), value)
					})
				})
			})
		}
	}
}

func BenchmarkShares(b *testing.B) {
	for _, callers := range []int{1, 64, 256} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			_, shares, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
			parallel(b, callers, func(uint64) error {
				slot, err := shares.Put(b.Context(), [storage.ShareSize]byte{1})
				if err != nil {
					return err
				}
				if err := shares.Destroy(b.Context(), slot); err != nil {
					return err
				}
				shares.Recycler().Release(slot)
				return nil
			})
		})
	}
}

// BenchmarkConceal does what storing a secret does below the vault: a share,
// then four records, of which two are found by hash.
func BenchmarkConceal(b *testing.B) {
	for _, callers := range []int{1, 64, 256} {
		b.Run(fmt.Sprintf("bolt/callers=%d", callers), func(b *testing.B) {
			store, shares, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
			benchmarkConceal(b, store, shares, callers)
		})
		b.Run(fmt.Sprintf("memory/callers=%d", callers), func(b *testing.B) {
			store, shares := memory.New()
			benchmarkConceal(b, store, shares, callers)
		})
	}
}

func benchmarkConceal(b *testing.B, store storage.Store, shares storage.Shares, callers int) {
	preload(b, store, creationKeys)
	value := make([]byte, 600)
	parallel(b, callers, func(n uint64) error {
		slot, err := shares.Put(b.Context(), [storage.ShareSize]byte{1})
		if err != nil {
			return err
		}
		return store.Update(b.Context(), func(tx storage.Tx) error {
			key := creationKeys.key(n)
			for _, bucket := range []string{"secret", "metadata", "expiry", "audit"} {
				if err := tx.Put(bucket, key, value[:100+slot.Generation%2]); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func BenchmarkView(b *testing.B) {
	store, _, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
	preload(b, store, randomKeys)
	parallel(b, 64, func(n uint64) error {
		return store.View(b.Context(), func(tx storage.Tx) error {
			_, err := tx.Get("bench", randomKeys.key(n%preloaded))
			return err
		})
	})
}

// keyOrder makes the key of the n-th record.
type keyOrder struct {
	name string
	key  func(n uint64) []byte
}

var (
	randomKeys = keyOrder{"random", func(n uint64) []byte {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
		return sum[:20]
	}}
	creationKeys = keyOrder{"creation", func(n uint64) []byte {
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
		return append(binary.BigEndian.AppendUint64(nil, n), sum[:12]...)
	}}
)

// parallel runs op from callers goroutines with numbers from preloaded on.
func parallel(b *testing.B, callers int, op func(n uint64) error) {
	var next atomic.Uint64
	next.Store(preloaded)
	b.SetParallelism(max(1, callers/2)) // of two processors; see -cpu
	if callers == 1 {
		b.ResetTimer()
		for range b.N {
			if err := op(next.Add(1)); err != nil {
				b.Fatal(err)
			}
		}
	} else {
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := op(next.Add(1)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

func preload(b *testing.B, s storage.Store, order keyOrder) {
	value := make([]byte, 600)
	_, _ = rand.Read(value)
	for n := uint64(0); n < preloaded; n += 10_000 {
		err := s.Update(b.Context(), func(tx storage.Tx) error {
			for i := range uint64(10_000) {
				if err := tx.Put("bench", order.key(n+i), value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func openRaw(b *testing.B) *bbolt.DB {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "raw.db"), 0o600, &bbolt.Options{
		Timeout: time.Second, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
		InitialMmapSize: 256 << 20, NoStatistics: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// rawStore is just enough of a store to preload a bare database.
type rawStore struct {
	storage.Store
	db *bbolt.DB
}

func (r rawStore) Update(_ context.Context, fn func(storage.Tx) error) error {
	return r.db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists([]byte("bench"))
		if err != nil {
			return err
		}
		bucket.FillPercent = 0.9
		return fn(rawTx{bucket: bucket})
	})
}

func (r rawStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return r.Update(ctx, fn)
}

type rawTx struct {
	storage.Tx
	bucket *bbolt.Bucket
}

func (r rawTx) Put(_ string, key, value []byte) error {
	return r.bucket.Put(key, value)
}

func (r rawTx) Change(bucket, key string, fn func(value []byte) ([]byte, error)) error {
	return storage.ChangeByPut(r, bucket, key, fn)
}
