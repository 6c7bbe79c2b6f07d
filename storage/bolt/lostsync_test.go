package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"hush/storage"
	"hush/storage/bolt/pages"
	"hush/storage/disktest"
	"hush/storage/sharefile"
)

// buckets is how many buckets the database of these tests has, each with its own
// pages.
const buckets = 8

// fillBuckets writes rows to all buckets, or to one.
func fillBuckets(t *testing.T, store *Store, text string, only ...int) {
	t.Helper()
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		for b := range buckets {
			if len(only) > 0 && !slices.Contains(only, b) {
				continue
			}
			for n := range 40 {
				value := bytes.Repeat([]byte(text), 100)
				if err := tx.Put(fmt.Sprintf("bucket%d", b), fmt.Appendf(nil, "%03d", n), value); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Update: got %v, want nil", err)
	}
}

// reopened is a folder that was opened on a disk of a test.
type reopened struct {
	folder *Folder
	store  *Store
	shares *sharefile.File
}

func openOn(t *testing.T, dir string, disk *disktest.Disk) *reopened {
	t.Helper()
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatalf("OpenFolder: got %v, want nil", err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	opts := Options{Small: true}
	if disk != nil {
		opts.again = disk
	}
	store, shares, err := folder.Open(opts)
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	return &reopened{folder, store, shares}
}

func (r *reopened) close(t *testing.T) {
	t.Helper()
	if err := r.folder.Close(); err != nil {
		t.Fatalf("Close: got %v, want nil", err)
	}
}

// metaOf returns the page in which the last commit of a folder says where it is.
func metaOf(t *testing.T, dir string) int {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, metas := pages.Metas(file)
	if len(metas) != 2 {
		t.Fatalf("Metas(): got %d pages, want 2", len(metas))
	}
	return int(metas[0].Page)
}

// keepData makes the pages of a commit durable, and not the one that names it.
func keepData(disk *disktest.Disk, meta int) {
	var all []int
	for page := range 4096 {
		if page != meta {
			all = append(all, page)
		}
	}
	disk.Keep(DatabaseName, all...)
}

// wantAll checks that a folder opens with every bucket, and that each has the rows of
// one of the texts.
func wantAll(t *testing.T, dir string, texts ...string) {
	t.Helper()
	r := openOn(t, dir, nil)
	defer r.close(t)
	err := r.store.View(t.Context(), func(tx storage.Tx) error {
		for b := range buckets {
			bucket, rows, foreign := fmt.Sprintf("bucket%d", b), 0, 0
			err := tx.Range(bucket, nil, nil, func(_, value []byte) error {
				if rows++; len(value) == 0 || !slices.Contains(texts, string(value[:len(value)/100])) {
					foreign++
				}
				return nil
			})
			if err != nil || rows != 40 || foreign > 0 {
				t.Errorf("%s after a power cut: got %d rows, %d of them of another commit, and %v, want 40 of %q", bucket, rows, foreign, err, texts)
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("View: got %v, want nil", err)
	}
}

// The defect: the sync of the page that names a commit failed, the process ended, and
// the next one took the commit for durable, which it never was. The commit after it
// overwrote pages that the last durable one needs, and a power cut before that commit
// was complete left a database without its buckets.
func TestLostCommit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	r := openOn(t, dir, nil)
	for _, text := range []string{"first", "early", "older"} {
		fillBuckets(t, r.store, text)
	}
	r.close(t)
	disk := disktest.New(t, dir)

	r = openOn(t, dir, disk)
	fillBuckets(t, r.store, "newer")
	r.close(t)
	keepData(disk, metaOf(t, dir))
	disk.Lose(DatabaseName) // the sync of that page failed
	wantAll(t, disk.CutPower(), "older")

	r = openOn(t, dir, disk)
	fillBuckets(t, r.store, "later")
	r.close(t)
	keepData(disk, metaOf(t, dir)) // and now the power fails
	wantAll(t, disk.CutPower(), "newer")
}

// Whatever part of a commit a failed sync has lost, a start makes all of it durable,
// and nothing else than what it found.
func TestStartWritesLastCommitAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	r := openOn(t, dir, nil)
	fillBuckets(t, r.store, "older")
	r.close(t)
	disk := disktest.New(t, dir)
	r = openOn(t, dir, disk)
	fillBuckets(t, r.store, "newer", 2, 5)
	r.close(t)
	disk.Lose(DatabaseName)
	openOn(t, dir, disk).close(t)
	after := disk.CutPower()
	for _, name := range []string{DatabaseName, SharesName} {
		got, err := os.ReadFile(filepath.Join(after, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s after a start and a power cut: got other bytes than were read (%v)", name, err)
		}
	}
	wantAll(t, after, "older", "newer")
}

// The power fails while a start writes the last commit again: what is there then
// opens, with the commit or with the one before, whichever sectors were written.
func TestPowerFailsAtStart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	r := openOn(t, dir, nil)
	fillBuckets(t, r.store, "older")
	r.close(t)
	disk := disktest.New(t, dir)
	r = openOn(t, dir, disk)
	fillBuckets(t, r.store, "newer", 2)
	r.close(t)
	meta := metaOf(t, dir)
	keepData(disk, meta)
	disk.Lose(DatabaseName)
	lost := disk.CutPower()

	file, err := os.OpenFile(filepath.Join(dir, DatabaseName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := &written{file: file}
	if err := renewDatabase(w, file); err != nil {
		t.Fatalf("renewDatabase: got %v, want nil", err)
	}
	if !w.syncedBetween(int64(meta) * int64(os.Getpagesize())) {
		t.Error("renewDatabase: wrote the page that names the commit before the commit was synced")
	}
	for n := 0; n < len(w.sectors); n += 1 + len(w.sectors)/12 {
		for _, keep := range []func(i int) bool{
			func(i int) bool { return i <= n }, func(i int) bool { return i == n }, func(i int) bool { return i != n },
		} {
			torn := disktest.CopyOf(t, lost)
			apply(t, filepath.Join(torn, DatabaseName), w.sectors, keep)
			wantAll(t, torn, "older", "newer")
			if t.Failed() {
				t.Fatalf("with sector %d of %d", n, len(w.sectors))
			}
		}
	}
}

// sector is one that was written.
type sector struct {
	at   int64
	data []byte
}

// written notes what is written, in sectors, and where a sync came between.
type written struct {
	file    *os.File
	sectors []sector
	syncs   []int // numbers of sectors before each
}

func (w *written) WriteAt(_ *os.File, data []byte, at int64) error {
	for ; len(data) > 0; data, at = data[512:], at+512 {
		w.sectors = append(w.sectors, sector{at, bytes.Clone(data[:512])})
	}
	return nil
}

func (w *written) Sync(*os.File) error {
	w.syncs = append(w.syncs, len(w.sectors))
	return nil
}

// syncedBetween reports whether all that was written before an offset was synced then.
func (w *written) syncedBetween(at int64) bool {
	n := slices.IndexFunc(w.sectors, func(s sector) bool { return s.at == at })
	return n > 0 && len(w.syncs) > 0 && w.syncs[0] <= n && w.syncs[0] > 0
}

func apply(t *testing.T, path string, sectors []sector, keep func(i int) bool) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, s := range sectors {
		if keep(i) {
			if _, err := file.WriteAt(s.data, s.at); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A disk that still fails ends the start, however often that is tried.
func TestStartOnFailingDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	r := openOn(t, dir, nil)
	fillBuckets(t, r.store, "older")
	r.close(t)
	disk := disktest.New(t, dir)
	disk.FailSyncs(true)
	for range 3 {
		folder, err := OpenFolder(dir)
		if err != nil {
			t.Fatalf("OpenFolder: got %v, want nil", err)
		}
		if _, _, err = folder.Open(Options{again: disk}); !errors.Is(err, syscall.EIO) {
			t.Errorf("Open on a disk that fails: got %v, want %v", err, syscall.EIO)
		}
		if err := folder.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	}
}

// The header that bars older releases is durable after a start that reads it, and so
// is what the file has grown by.
func TestStartWritesSharesAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	r := openOn(t, dir, nil)
	r.close(t)
	disk := disktest.New(t, dir)
	r = openOn(t, dir, disk)
	slot, err := r.shares.Put(t.Context(), [storage.ShareSize]byte{7})
	if err != nil {
		t.Fatalf("Put: got %v, want nil", err)
	}
	r.close(t)
	disk.Lose(SharesName)
	openOn(t, dir, disk).close(t)
	after := openOn(t, disk.CutPower(), nil)
	defer after.close(t)
	if got, err := after.shares.Get(t.Context(), slot); err != nil || got != [storage.ShareSize]byte{7} {
		t.Errorf("Get(%v) after a start and a power cut: got %v, want the share that the start has read", slot, err)
	}
}
