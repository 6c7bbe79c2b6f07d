package bolt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"hush/storage/disktest"
	"hush/storage/sharefile"
)

// on makes a folder be on a file system, whatever it is on: the tests hold in a container,
// too. Inode numbers and times of birth are the system's.
func on(t *testing.T, fileSystem uint32) func(path string) (facts, bool) {
	t.Helper()
	return func(path string) (facts, bool) {
		is, ok := factsOf(path)
		if !ok || !is.born {
			t.Fatalf("factsOf(%s): got %+v and %t, want a time of birth", path, is, ok)
		}
		is.fileSystem = fileSystem
		return is, true
	}
}

// openTold opens a folder, and returns what Copied is told.
func openTold(t *testing.T, dir string, facts func(string) (facts, bool)) (f *Folder, told error) {
	t.Helper()
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatalf("OpenFolder(%s): got %v, want nil", dir, err)
	}
	f.facts = facts
	if _, _, err := f.Open(Options{Small: true, Copied: func(err error) error {
		told = err
		return nil
	}}); err != nil {
		t.Fatalf("Open(%s): got %v, want nil", dir, err)
	}
	return f, told
}

// wantTold opens and closes a folder, and fails the test unless Copied is told that.
func wantTold(t *testing.T, name, dir string, facts func(string) (facts, bool), want *CopiedError) {
	t.Helper()
	f, told := openTold(t, dir, facts)
	closeFolder(t, f)
	got, _ := errors.AsType[*CopiedError](told)
	if (got == nil) != (want == nil) || got != nil && *got != *want {
		t.Errorf("%s: got %v, want %v", name, told, want)
	}
}

func closeFolder(t *testing.T, f *Folder) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Errorf("Close: got %v, want nil", err)
	}
}

// keep opens a folder, records its files, and closes it.
func keep(t *testing.T, dir string, facts func(string) (facts, bool), moved bool) {
	t.Helper()
	f, _ := openTold(t, dir, facts)
	if err := f.KeepFiles(t.Context(), moved); err != nil {
		t.Errorf("KeepFiles(%t): got %v, want nil", moved, err)
	}
	closeFolder(t, f)
}

// newFolder makes a folder on a file system.
func newFolder(t *testing.T, facts func(string) (facts, bool)) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	wantTold(t, "a new folder", dir, facts, nil)
	return dir
}

// putFile gives a folder a copy of another folder's file, as cp does to a file that is
// missing.
func putFile(t *testing.T, dir, name, from string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(from, name))
	if err == nil {
		err = errors.Join(os.Rename(filepath.Join(dir, name), filepath.Join(t.TempDir(), name)),
			os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// storedFiles returns the row with the record; change, unless nil, changes it.
func storedFiles(t *testing.T, dir string, change func(*bbolt.Bucket) error) (row []byte) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, DatabaseName), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(btx *bbolt.Tx) error {
		b := btx.Bucket([]byte(OwnBucket))
		if change != nil {
			return change(b)
		}
		row = bytes.Clone(b.Get([]byte(filesKey)))
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return row
}

// An operator copies a data folder and serves both: every link would open twice. The copy
// is told from the folder, whatever was copied, and however.
func TestCopiesAreTold(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	dir := newFolder(t, ext4)
	older := disktest.CopyOf(t, dir)
	wantTold(t, "a copy", older, ext4, &CopiedError{Database: true, Shares: true})
	wantTold(t, "a copy that was opened", older, ext4, &CopiedError{Database: true, Shares: true})
	wantTold(t, "the folder", dir, ext4, nil)

	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	wantTold(t, "the folder after mv", moved, ext4, nil)
	putFile(t, moved, DatabaseName, older)
	wantTold(t, "an earlier hush.db in the folder", moved, ext4, &CopiedError{Database: true})
	putFile(t, moved, SharesName, older)
	wantTold(t, "both files put back", moved, ext4, &CopiedError{Database: true, Shares: true})
	keep(t, moved, ext4, true)
	putFile(t, moved, SharesName, older)
	wantTold(t, "earlier shares in the folder", moved, ext4, &CopiedError{Shares: true})
}

// What Copied returns ends the opening before anything is changed.
func TestCopyIsNotOpened(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	dir := disktest.CopyOf(t, newFolder(t, ext4))
	before := folderBytes(t, dir)
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.facts = ext4
	refused := errors.New("refused")
	if _, _, err := f.Open(Options{Ballast: true, MinFree: 1, Copied: func(error) error { return refused }}); !errors.Is(err, refused) {
		t.Errorf("Open(a copy): got %v, want %v", err, refused)
	}
	closeFolder(t, f)
	if after := folderBytes(t, dir); after != before {
		t.Error("Open(a copy): got a changed folder, want nothing changed")
	}
}

func folderBytes(t *testing.T, dir string) (all string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		content, wrong := os.ReadFile(filepath.Join(dir, entry.Name()))
		all, err = all+entry.Name()+"\n"+string(content), errors.Join(err, wrong)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The operator says that the old folder is gone: the copy takes its place, and a copy of
// that is told again.
func TestMovedFolderIsRecorded(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	dir := disktest.CopyOf(t, newFolder(t, ext4))
	keep(t, dir, ext4, false)
	wantTold(t, "a copy that did not say that it moved", dir, ext4, &CopiedError{Database: true, Shares: true})
	keep(t, dir, ext4, true)
	wantTold(t, "a folder that has moved", dir, ext4, nil)
	row := storedFiles(t, dir, nil)
	keep(t, dir, ext4, true)
	if again := storedFiles(t, dir, nil); !bytes.Equal(again, row) {
		t.Errorf("KeepFiles(moved) again: got %x, want %x", again, row)
	}
	wantTold(t, "its copy", disktest.CopyOf(t, dir), ext4, &CopiedError{Database: true, Shares: true})
}

// An earlier release has recorded nothing. The first start of this one does, and the
// earlier one opens the folder as before: it reads its own rows of the bucket.
func TestFolderWithoutRecord(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	dir := newFolder(t, ext4)
	storedFiles(t, dir, func(b *bbolt.Bucket) error { return b.Delete([]byte(filesKey)) })
	wantTold(t, "without a record", dir, ext4, nil)
	if row := storedFiles(t, dir, nil); row != nil {
		t.Errorf("record after Open alone: got %x, want none", row)
	}
	keep(t, dir, ext4, false)
	wantTold(t, "with one", dir, ext4, nil)
	wantTold(t, "a copy", disktest.CopyOf(t, dir), ext4, &CopiedError{Database: true, Shares: true})

	later := append([]byte{filesVersion + 1}, 1, 2, 3)
	storedFiles(t, dir, func(b *bbolt.Bucket) error { return b.Put([]byte(filesKey), later) })
	keep(t, dir, ext4, false)
	wantTold(t, "with the record of a later release", dir, ext4, nil)
	if row := storedFiles(t, dir, nil); !bytes.Equal(row, later) {
		t.Errorf("record of a later release: got %x, want %x as before", row, later)
	}
}

// An earlier release compacts the folder: it copies the record as it is.
func TestCompactionByEarlierReleaseIsTold(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	dir := newFolder(t, ext4)
	putFile(t, dir, DatabaseName, dir)
	wantTold(t, "compacted by an earlier release", dir, ext4, &CopiedError{Database: true})
	keep(t, dir, ext4, true)
	wantTold(t, "with --moved", dir, ext4, nil)
}

// File systems without lasting numbers are left out: nothing is recorded there, and
// nothing refused. What was recorded elsewhere is not on the same file system any more.
func TestFileSystemsWithoutLastingNumbers(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	for magic, name := range map[uint32]string{
		unix.OVERLAYFS_SUPER_MAGIC: "overlayfs", unix.NFS_SUPER_MAGIC: "NFS", 0x12345678: "an unknown one (0x12345678)",
	} {
		other := on(t, magic)
		dir := newFolder(t, other)
		keep(t, dir, other, false)
		if row := storedFiles(t, dir, nil); row != nil {
			t.Errorf("record on %s: got %x, want none", name, row)
		}
		wantTold(t, "a copy on "+name, disktest.CopyOf(t, dir), other, nil)
		f, _ := openTold(t, dir, other)
		if got := f.Unrecorded(); got != name {
			t.Errorf("Unrecorded(%#x): got %q, want %q", magic, got, name)
		}
		closeFolder(t, f)

		copied := disktest.CopyOf(t, newFolder(t, ext4))
		wantTold(t, "a copy from ext4 on "+name, copied, other, &CopiedError{Database: true, Shares: true, FileSystem: name})
		keep(t, copied, other, true)
		wantTold(t, "one that has moved to "+name, copied, other, nil)
	}
	f, _ := openTold(t, newFolder(t, ext4), ext4)
	if got := f.Unrecorded(); got != "" {
		t.Errorf("Unrecorded(ext4): got %q, want nothing", got)
	}
	closeFolder(t, f)
}

func TestLastingNumbers(t *testing.T) {
	t.Parallel()
	for magic, name := range map[uint32]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "XFS", unix.BTRFS_SUPER_MAGIC: "btrfs", magicZFS: "ZFS",
		unix.F2FS_SUPER_MAGIC: "F2FS", unix.BCACHEFS_SUPER_MAGIC: "bcachefs", unix.TMPFS_MAGIC: "tmpfs",
	} {
		if got := fileSystemName(magic); !isLasting(magic) || got != name {
			t.Errorf("isLasting(%s): got %t and the name %q, want true and that name", name, isLasting(magic), got)
		}
	}
	for magic, name := range map[uint32]string{
		unix.OVERLAYFS_SUPER_MAGIC: "overlayfs", unix.NFS_SUPER_MAGIC: "NFS", unix.CIFS_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB",
		unix.FUSE_SUPER_MAGIC: "FUSE", unix.V9FS_MAGIC: "9p", unix.CEPH_SUPER_MAGIC: "CephFS", unix.ECRYPTFS_SUPER_MAGIC: "eCryptfs",
		unix.MSDOS_SUPER_MAGIC: "FAT", unix.EXFAT_SUPER_MAGIC: "exFAT", 0x7366746e: "NTFS", 0: "an unknown one (0x0)",
	} {
		if got := fileSystemName(magic); isLasting(magic) || got != name {
			t.Errorf("isLasting(%s): got %t and the name %q, want false and that name", name, isLasting(magic), got)
		}
	}
}

// An older kernel does not tell the times of birth that a later one has recorded. That is
// no copy, and the record stays for the later one.
func TestTimeOfBirthIsNotTold(t *testing.T) {
	t.Parallel()
	ext4 := on(t, unix.EXT4_SUPER_MAGIC)
	dir := newFolder(t, ext4)
	older := func(path string) (facts, bool) {
		is, ok := ext4(path)
		is.born, is.seconds, is.nanoseconds = false, 0, 0
		return is, ok
	}
	silent := func(string) (is facts, ok bool) { return is, false }
	for name, facts := range map[string]func(string) (facts, bool){"an older kernel": older, "a system that says nothing": silent} {
		row := storedFiles(t, dir, nil)
		wantTold(t, name, dir, facts, nil)
		keep(t, dir, facts, false)
		if after := storedFiles(t, dir, nil); !bytes.Equal(after, row) {
			t.Errorf("record after %s: got %x, want %x", name, after, row)
		}
	}
	wantTold(t, "the kernel as before", dir, ext4, nil)
}

// Each number counts.
func TestIdentity(t *testing.T) {
	t.Parallel()
	id, n := sharefile.StoreID{1}, numbers{12, 1795727966, 446584153}
	seen := map[identity]string{}
	for name, got := range map[string]identity{
		"all":             n.identity(id, DatabaseName),
		"of another file": n.identity(id, SharesName),
		"another store":   n.identity(sharefile.StoreID{2}, DatabaseName),
		"another inode":   numbers{13, n.seconds, n.nanoseconds}.identity(id, DatabaseName),
		"born later":      numbers{n.inode, n.seconds, n.nanoseconds + 1}.identity(id, DatabaseName),
		"born earlier":    numbers{n.inode, n.seconds - 1, n.nanoseconds}.identity(id, DatabaseName),
	} {
		if other, is := seen[got]; is {
			t.Errorf("identity(%s): got that of %s, want another", name, other)
		}
		seen[got] = name
	}
	if again := n.identity(id, DatabaseName); seen[again] != "all" {
		t.Errorf("identity(all): got %x, want the same again", again)
	}
}

// FuzzDecodeFiles: what is accepted encodes to the same bytes again.
func FuzzDecodeFiles(f *testing.F) {
	f.Add(filesRecord{identity{1}, identity{2}}.encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, ok := decodeFiles(data); ok && !bytes.Equal(r.encode(), data) {
			t.Errorf("decodeFiles(%x): got %+v, which encodes to %x", data, r, r.encode())
		}
	})
}
