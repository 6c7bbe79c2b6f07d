package bolt_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/storage/bolt/offline"
	"hush/storage/disktest"
	"hush/storage/sharefile"
)

// A compaction records the new database before it gets its name. It makes no copy one
// that is served, and records nothing where nothing was on record.
func TestCompactionKeepsTheRecord(t *testing.T) {
	t.Parallel()
	ext4 := bolt.OnFileSystem(t, unix.EXT4_SUPER_MAGIC)
	dir := bolt.NewFolderOn(t, ext4)
	copied := disktest.CopyOf(t, dir)
	bare := disktest.CopyOf(t, dir)
	bolt.StoredFiles(t, bare, func(b *bbolt.Bucket) error { return b.Delete([]byte(bolt.FilesKey)) })
	row := bolt.StoredFiles(t, dir, nil)
	for _, folder := range []string{dir, copied, bare} {
		compactOn(t, folder, ext4)
	}
	bolt.WantTold(t, "the folder", dir, ext4, nil)
	if again := bolt.StoredFiles(t, dir, nil); bytes.Equal(again, row) || len(again) != len(row) {
		t.Errorf("record of a compacted folder: got %x after %x, want another one", again, row)
	}
	bolt.WantTold(t, "the copy", copied, ext4, &bolt.CopiedError{Database: true, Shares: true})
	if row := bolt.StoredFiles(t, bare, nil); row != nil {
		t.Errorf("record of a compacted folder that had none: got %x, want none", row)
	}
}

func compactOn(t *testing.T, dir string, facts bolt.Facts) {
	t.Helper()
	folder, err := bolt.LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder.SetFacts(facts)
	i := offline.InspectLocked(folder)
	defer i.Close()
	err = i.OpenDatabase(t.Context(), nil)
	if err == nil {
		_, err = i.OpenShares(t.Context())
	}
	if err == nil {
		_, err = i.Compact(t.Context(), offline.CompactOptions{})
	}
	if err != nil {
		t.Fatalf("Compact(%s): got %v, want nil", dir, err)
	}
}

// A restored folder is on record before its first start.
func TestBuiltFolderIsRecorded(t *testing.T) {
	t.Parallel()
	ext4 := bolt.OnFileSystem(t, unix.EXT4_SUPER_MAGIC)
	dir := filepath.Join(t.TempDir(), "data")
	f, err := bolt.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.SetFacts(ext4)
	b, err := offline.NewBuilder(f)
	if err == nil {
		err = b.Row("rows", []byte("key"), []byte("value"))
	}
	if err == nil {
		err = b.Slot(storage.Slot{Number: 1, Generation: 1}, [storage.ShareSize]byte{1})
	}
	if err == nil {
		err = b.Complete(t.Context(), sharefile.Extent{Slots: 2, Generation: 1})
	}
	if err == nil {
		err = errors.Join(b.Commit(t.Context()), b.Close())
	}
	if err != nil {
		t.Fatalf("Builder: got %v, want nil", err)
	}
	bolttest.MustClose(t, f)
	copied := disktest.CopyOf(t, dir)
	bolt.WantTold(t, "a built folder", dir, ext4, nil)
	bolt.WantTold(t, "its copy", copied, ext4, &bolt.CopiedError{Database: true, Shares: true})
}
