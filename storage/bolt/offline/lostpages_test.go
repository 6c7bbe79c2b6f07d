package offline_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/bolt/offline"
	"hush/storage/bolt/pages"
	"hush/storage/disktest"
)

// The defect: a later commit had written over the page that lists the buckets, or over
// one with rows. Such a page is sound in itself, so the check of pages saw nothing.
func TestInspectFindsLostBuckets(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	store, _, folder := bolttest.Open(t, dir, bolt.Options{Small: true})
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		for b := range 8 {
			for n := range 40 {
				if err := tx.Put(fmt.Sprintf("bucket%d", b), fmt.Appendf(nil, "%03d", n), bytes.Repeat([]byte("text"), 100)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		err = store.Update(t.Context(), func(tx storage.Tx) error {
			return tx.Put("one page", []byte("alone"), make([]byte, 2000))
		})
	}
	if err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
	bolttest.MustClose(t, folder)
	file, err := os.Open(filepath.Join(dir, bolt.DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	size, metas := pages.Metas(file)
	root := int64(metas[0].Root)
	leaf := leafOf(t, file, size, metas[0])
	empty := binary.NativeEndian.AppendUint16(make([]byte, 8), 2) // a leaf
	empty = append(empty, make([]byte, size-int64(len(empty)))...)
	for name, c := range map[string]struct {
		to   int64
		page []byte
		want string
	}{
		"rows in place of the list":    {root, pageAt(t, file, size, leaf), "the buckets are lost"},
		"nothing in place of the list": {root, empty, "they are lost"},
		"the list in place of rows":    {leaf, pageAt(t, file, size, root), "the rows are lost"},
	} {
		lost := disktest.CopyOf(t, dir)
		binary.NativeEndian.PutUint64(c.page, uint64(c.to)) // where the later commit has put it
		putPage(t, filepath.Join(lost, bolt.DatabaseName), c.to*size, c.page)
		i, err := offline.Inspect(lost)
		if err != nil {
			t.Fatalf("Inspect: got %v, want nil", err)
		}
		if err := i.OpenDatabase(t.Context(), nil); !errors.Is(err, bolt.ErrMismatch) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("OpenDatabase with %s: got %v, want %q in it", name, err, c.want)
		}
		if err := i.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	}
}

func pageAt(t *testing.T, file *os.File, size, page int64) []byte {
	t.Helper()
	data := make([]byte, size)
	if _, err := file.ReadAt(data, page*size); err != nil {
		t.Fatal(err)
	}
	return data
}

// leafOf returns the page of the bucket that has only one.
func leafOf(t *testing.T, file *os.File, size int64, meta pages.Meta) int64 {
	t.Helper()
	for page := range allPages(file, size, meta) {
		data := pageAt(t, file, size, int64(page))
		leaf, count := binary.NativeEndian.Uint16(data[8:]) == 2, binary.NativeEndian.Uint16(data[10:])
		row := binary.NativeEndian.Uint32(data[16:]) == 0 && binary.NativeEndian.Uint32(data[24:]) == 5 // the length of its key
		if leaf && count > 0 && row && binary.NativeEndian.Uint32(data[12:]) == 0 && page != meta.Root {
			return int64(page)
		}
	}
	t.Fatal("leafOf: got no page, want the one of a bucket")
	return 0
}

// allPages returns the pages of a commit.
func allPages(file *os.File, size int64, meta pages.Meta) map[uint64]bool {
	all := map[uint64]bool{}
	for _, s := range pages.Changed(file, size, meta, pages.Meta{}, 1<<20) {
		for n := range s.Count {
			all[s.First+n] = true
		}
	}
	return all
}

func putPage(t *testing.T, path string, at int64, page []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(page, at); err != nil {
		t.Fatal(err)
	}
}
