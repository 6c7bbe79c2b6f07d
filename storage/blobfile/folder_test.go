package blobfile_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/storage"
	"hush/storage/blobfile"
	"hush/storage/disk"
)

// mustStore stores a blob of one part.
func mustStore(t testing.TB, f *blobfile.Folder, content []byte) storage.BlobID {
	t.Helper()
	id, size := storage.NewBlobID(), int64(len(content))
	if err := errors.Join(f.Begin(t.Context(), id, size, size), f.Put(t.Context(), id, 0, content)); err != nil {
		t.Fatalf("storing a blob: got %v, want nil", err)
	}
	return id
}

func wantContent(t testing.TB, f *blobfile.Folder, id storage.BlobID, want []byte) {
	t.Helper()
	if got, err := f.Get(t.Context(), id, 0, len(want)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Get: got %q and %v, want %q", got, err, want)
	}
}

func namesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Only the owner has any right, also where others were given some, and what was stored is
// there after a start.
func TestModesAndRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	f := mustOpen(t, dir)
	id := mustStore(t, f, []byte("kept"))
	for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, filepath.Join(dir, id.String()): 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("mode of %s: got %v and %v, want %v", path, info.Mode(), err, want)
		}
	}
	if err := errors.Join(f.Close(), f.Close(), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get(t.Context(), id, 0, 4); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Get after Close: got %v, want %v", err, storage.ErrClosed)
	}
	if err := f.List(t.Context(), nil); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("List after Close: got %v, want %v", err, storage.ErrClosed)
	}
	f = mustOpen(t, dir)
	if info, err := os.Lstat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode after a start: got %v and %v, want 0700", info.Mode(), err)
	}
	wantContent(t, f, id, []byte("kept"))
}

// A link would lead out of what is locked, synced and watched.
func TestFolderIsNoLink(t *testing.T) {
	t.Parallel()
	elsewhere, dir := t.TempDir(), filepath.Join(t.TempDir(), "files")
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	_, err := blobfile.Open(dir, blobfile.Options{Fault: disk.NewFault(nil)})
	if err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("Open(link): got %v, want an error that says so", err)
	}
	if err := blobfile.Check(dir); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("Check(link): got %v, want an error that says so", err)
	}
	plain := filepath.Join(t.TempDir(), "files")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for call, check := range map[string]func() error{
		"Open": func() error {
			_, err := blobfile.Open(plain, blobfile.Options{Fault: disk.NewFault(nil)})
			return err
		},
		"Check": func() error { return blobfile.Check(plain) },
	} {
		if err := check(); err == nil || !strings.Contains(err.Error(), "not a folder") {
			t.Errorf("%s(file): got %v, want an error that says so", call, err)
		}
	}
	for _, path := range []string{elsewhere, filepath.Join(elsewhere, "missing")} {
		if err := blobfile.Check(path); err != nil {
			t.Errorf("Check(%s): got %v, want nil", path, err)
		}
	}
	if got := namesIn(t, elsewhere); len(got) > 0 {
		t.Errorf("where the link leads: got %q, want nothing", got)
	}
}

// Whatever lies in the folder and is no blob is neither listed, followed nor touched.
func TestStrangers(t *testing.T) {
	t.Parallel()
	dir, outside := filepath.Join(t.TempDir(), "files"), filepath.Join(t.TempDir(), "outside")
	f := mustOpen(t, dir)
	id := mustStore(t, f, []byte("kept"))
	if err := os.Rename(filepath.Join(dir, id.String()), outside); err != nil {
		t.Fatal(err)
	}
	link, folder := storage.NewBlobID(), storage.NewBlobID()
	var want []string
	lay := func(name string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	lay(id.String(), os.Symlink(outside, filepath.Join(dir, id.String())))
	lay(link.String(), os.Symlink(outside, filepath.Join(dir, link.String())))
	lay(folder.String(), os.Mkdir(filepath.Join(dir, folder.String()), 0o700))
	for _, name := range []string{"note.txt", strings.Repeat("A", 32), strings.Repeat("a", 31), strings.Repeat("a", 33), strings.Repeat("g", 32)} {
		lay(name, os.WriteFile(filepath.Join(dir, name), []byte("kept"), 0o600))
	}
	if err := os.Mkdir(filepath.Join(dir, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := blobfile.Walk(dir, func(id storage.BlobID, _ int64) error {
		t.Errorf("Walk: got the blob %s, want none", id)
		return nil
	}, func(name string) error {
		got = append(got, name)
		return nil
	})
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Walk: got strangers %q and %v, want %q", got, err, want)
	}
	before := namesIn(t, dir)
	for _, id := range []storage.BlobID{id, link, folder} {
		_, getErr := f.Get(t.Context(), id, 0, 4)
		for name, err := range map[string]error{
			"Begin": f.Begin(t.Context(), id, 4, 4), "Put": f.Put(t.Context(), id, 0, []byte("evil")), "Get": getErr, "Delete": f.Delete(t.Context(), id),
		} {
			if err == nil || errors.Is(err, storage.ErrNotFound) {
				t.Errorf("%s(what is no plain file): got %v, want an error that says so", name, err)
			}
		}
	}
	if after := namesIn(t, dir); !slices.Equal(after, before) {
		t.Errorf("names: got %q, want %q as before", after, before)
	}
	if content, err := os.ReadFile(outside); err != nil || !bytes.Contains(content, []byte("kept")) {
		t.Errorf("what the links lead to: got %q and %v, want it as it was", content, err)
	}
	if err := blobfile.Walk(filepath.Join(dir, "none"), nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Walk(missing folder): got %v, want %v", err, fs.ErrNotExist)
	}
}

// What is no whole blob is refused, whatever the damage is, and can be deleted.
func TestDamagedBlobs(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	f := mustOpen(t, dir)
	other := mustStore(t, f, []byte("other"))
	for name, damage := range map[string]func(path string) error{
		"empty":              func(path string) error { return os.Truncate(path, 0) },
		"without its header": func(path string) error { return os.Truncate(path, 63) },
		"without its part":   func(path string) error { return os.Truncate(path, 4096) },
		"without its end":    func(path string) error { return os.Truncate(path, 4099) },
		"zeros":              func(path string) error { return os.WriteFile(path, make([]byte, 5000), 0o600) },
		"another magic":      flip(0),
		"another version":    flip(8),
		"another block size": flip(13),
		"another id":         flip(16),
		"another size":       flip(32),
		"another part size":  flip(40),
		"another checksum":   flip(63),
		"another blob":       func(path string) error { return os.Rename(filepath.Join(dir, other.String()), path) },
	} {
		id := mustStore(t, f, []byte("kept"))
		if err := damage(filepath.Join(dir, id.String())); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Get(t.Context(), id, 0, 4); !errors.Is(err, blobfile.ErrDamaged) {
			t.Errorf("Get(%s): got %v, want %v", name, err, blobfile.ErrDamaged)
		}
		if err := f.Delete(t.Context(), id); err != nil {
			t.Errorf("Delete(%s): got %v, want nil", name, err)
		}
	}
	if got := namesIn(t, dir); len(got) > 0 {
		t.Errorf("names after all were deleted: got %q, want none", got)
	}
}

// flip changes a byte of a file.
func flip(at int64) func(path string) error {
	return func(path string) error {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		var b [1]byte
		_, readErr := file.ReadAt(b[:], at)
		b[0] ^= 1
		_, writeErr := file.WriteAt(b[:], at)
		return errors.Join(readErr, writeErr, file.Close())
	}
}
