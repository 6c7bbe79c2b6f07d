//go:build linux

package bolt_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/disk"
)

// BenchmarkOneCaller is what a single caller waits for: commits of the store and
// overwritten shares, beside what a log that is written ahead of the database would
// wait for instead. p50-us is the median.
func BenchmarkOneCaller(b *testing.B) {
	record := make([]byte, 1024) // about what a conceal writes
	b.Run("page and fdatasync", func(b *testing.B) {
		file := preallocated(b, 0)
		each(b, func(int) error {
			_, err := file.WriteAt(record, 0)
			return errorsOf(err, disk.DataSync(file))
		})
	})
	b.Run("log and fdatasync", func(b *testing.B) {
		file := preallocated(b, 0)
		each(b, func(n int) error {
			_, err := file.WriteAt(record, logOffset(n))
			return errorsOf(err, disk.DataSync(file))
		})
	})
	b.Run("log with O_DSYNC", func(b *testing.B) {
		file := preallocated(b, unix.O_DSYNC)
		each(b, func(n int) error {
			_, err := file.WriteAt(record, logOffset(n))
			return err
		})
	})
	b.Run("commit", func(b *testing.B) {
		store, _, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
		each(b, func(n int) error { return putOne(b, store, uint64(n)) })
	})
	b.Run("share destroyed", func(b *testing.B) {
		_, shares, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
		slot, err := shares.Put(b.Context(), [storage.ShareSize]byte{1})
		if err != nil {
			b.Fatal(err)
		}
		each(b, func(int) error { return shares.Destroy(b.Context(), slot) })
	})
}

// logSize is the size of the preallocated log, which is written in a circle.
const logSize = 16 << 20

func logOffset(n int) int64 { return int64(n) * 1024 % logSize }

// preallocated returns a file whose blocks are on the disk, so that writing them
// changes no list of blocks.
func preallocated(b *testing.B, flag int) *os.File {
	b.Helper()
	file, err := os.OpenFile(filepath.Join(b.TempDir(), "log"), os.O_RDWR|os.O_CREATE|flag, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	if _, err := file.Write(make([]byte, logSize)); err != nil {
		b.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		b.Fatal(err)
	}
	return file
}

func errorsOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// each calls op b.N times and reports the median.
func each(b *testing.B, op func(n int) error) {
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for n := range b.N {
		began := time.Now()
		if err := op(n); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/float64(time.Microsecond), "p50-us")
}

func putOne(b *testing.B, store storage.Store, n uint64) error {
	return store.Update(b.Context(), func(tx storage.Tx) error {
		return tx.Put("bench", creationKeys.key(n), make([]byte, 1024))
	})
}

// BenchmarkGuard is the processor time of an update by 64 callers, as a multiple of
// that of a put in transactions of bbolt that have twenty of them, without callers.
// Both alternate, so that both meet the same machine. One iteration is guardBlock
// updates of each.
func BenchmarkGuard(b *testing.B) {
	store, _, _ := bolttest.Open(b, filepath.Join(b.TempDir(), "data"), bolt.Options{})
	raw := openRaw(b)
	var ours, theirs time.Duration
	for n := range b.N + 1 {
		first := uint64(n * guardBlock)
		mine := processorTimeOf(b, func() { putByCallers(b, store, first) })
		other := processorTimeOf(b, func() { putByHand(b, raw, first) })
		if n > 0 { // the first block makes buckets and maps files
			ours, theirs = ours+mine, theirs+other
		}
	}
	b.ReportMetric(float64(ours)/float64(b.N*guardBlock)/1000, "cpu-us/update")
	b.ReportMetric(float64(ours)/float64(theirs), "x-bbolt")
}

const guardBlock, guardCallers, guardBatch = 6400, 64, 20

func putByCallers(b *testing.B, store storage.Store, first uint64) {
	var all sync.WaitGroup
	for caller := range uint64(guardCallers) {
		all.Go(func() {
			for n := range uint64(guardBlock / guardCallers) {
				if err := putOne(b, store, first+n*guardCallers+caller); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func putByHand(b *testing.B, db *bbolt.DB, first uint64) {
	value := make([]byte, 1024)
	for n := uint64(0); n < guardBlock; n += guardBatch {
		err := db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("bench"))
			for i := range uint64(guardBatch) {
				if err == nil {
					err = bucket.Put(creationKeys.key(first+n+i), value)
				}
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// processorTimeOf returns the processor time that this process spends in do.
func processorTimeOf(b *testing.B, do func()) time.Duration {
	b.Helper()
	spent := func() time.Duration {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			b.Fatal(err)
		}
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	before := spent()
	do()
	return spent() - before
}
