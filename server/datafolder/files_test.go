package datafolder_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hush/cli/console"
	"hush/server/datafolder"
	"hush/storage"
)

// openData opens data, and closes it when t is over.
func openData(t *testing.T, args ...string) (*datafolder.Data, error) {
	t.Helper()
	d, err := datafolder.Open(t.Context(), settingsOf(t, args...), &console.Console{Err: io.Discard}, slog.New(slog.DiscardHandler))
	if err == nil {
		t.Cleanup(func() { _ = d.Close() })
	}
	return d, err
}

// The folder of files is made at the first start and at one of a folder that an earlier
// release has made, with no right for others, and keeps what it has.
func TestFilesOfAFolder(t *testing.T) {
	t.Parallel()
	dir, id := filepath.Join(t.TempDir(), "data"), storage.NewBlobID()
	files := filepath.Join(dir, datafolder.FilesName)
	for i, before := range []func() error{
		func() error { return nil },
		func() error { return os.Remove(files) },
		func() error { return os.Chmod(files, 0o755) },
		func() error { return nil },
	} {
		if err := before(); err != nil {
			t.Fatal(err)
		}
		d, err := openData(t, "--data", dir)
		if err != nil {
			t.Fatalf("Open %d: got %v, want nil", i, err)
		}
		if info, err := os.Lstat(files); err != nil || info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("mode of files after start %d: got %v and %v, want %v", i, info, err, fs.ModeDir|0o700)
		}
		if i == 2 {
			err = errors.Join(d.Files().Begin(t.Context(), id, 4, 4), d.Files().Put(t.Context(), id, 0, []byte("kept")))
		}
		if i == 3 {
			var got []byte
			if got, err = d.Files().Get(t.Context(), id, 0, 4); string(got) != "kept" {
				t.Errorf("Get after a restart: got %q, want %q", got, "kept")
			}
		}
		if err := errors.Join(err, d.Close()); err != nil {
			t.Fatal(err)
		}
		if err := d.Files().Delete(t.Context(), storage.NewBlobID()); !errors.Is(err, storage.ErrClosed) {
			t.Errorf("Delete after Close: got %v, want %v", err, storage.ErrClosed)
		}
	}
}

// A store in memory has no place for files.
func TestNoFilesInMemory(t *testing.T) {
	t.Parallel()
	d, err := openData(t, "--store=memory")
	if err != nil || d.Files() != nil {
		t.Errorf("Files(): got %v and %v, want none", d.Files(), err)
	}
}

// No blob takes what must stay free for secrets.
func TestFilesLeaveFreeBytes(t *testing.T) {
	t.Parallel()
	d, err := openData(t, "--data", filepath.Join(t.TempDir(), "data"), fmt.Sprintf("--min-free-bytes=%d", int64(1)<<60))
	if err != nil {
		t.Fatalf("Open: got %v, want nil", err)
	}
	if err := d.Files().Begin(t.Context(), storage.NewBlobID(), 1, 1); !errors.Is(err, storage.ErrFull) {
		t.Errorf("Begin with too few free bytes: got %v, want %v", err, storage.ErrFull)
	}
}

// A link in the place of the folder leads out of the data folder: a start refuses it, and
// so does the check of a configuration. A folder of files that was saved may be there
// before a backup is restored.
func TestFilesElsewhere(t *testing.T) {
	t.Parallel()
	dir, elsewhere := filepath.Join(t.TempDir(), "data"), t.TempDir()
	files := filepath.Join(dir, datafolder.FilesName)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(elsewhere, files)); err != nil {
		t.Fatal(err)
	}
	if _, err := openData(t, "--data", dir); err == nil || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("Open(link): got %v, want an error that says so", err)
	}
	if found := datafolder.Check(settingsOf(t, "--data", dir)); len(found) != 1 || !strings.Contains(found[0].Error(), "is a link") {
		t.Errorf("Check(link): got %v, want one error that says so", found)
	}
	saved := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(filepath.Join(saved, datafolder.FilesName), 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := datafolder.OpenRestoring(saved)
	if err != nil {
		t.Fatalf("OpenRestoring(with files): got %v, want nil", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// Root makes the folder in one that belongs to the service's user.
func TestFilesAreHandedOver(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: nobody else gives files away")
	}
	const user = 12345
	dir := filepath.Join(t.TempDir(), "data")
	files := filepath.Join(dir, datafolder.FilesName)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Mkdir(files, 0o700), os.Chown(dir, user, user)); err != nil {
		t.Fatal(err)
	}
	if err := datafolder.HandOver(dir); err != nil {
		t.Fatalf("HandOver: got %v, want nil", err)
	}
	info, err := os.Lstat(files)
	if err != nil {
		t.Fatal(err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != user || stat.Gid != user {
		t.Errorf("owner of files after HandOver: got %+v, want %d", info.Sys(), user)
	}
}
