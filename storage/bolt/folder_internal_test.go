package bolt

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A process that is being started has a copy of every descriptor until it runs.
// It must not keep a folder locked that was closed meanwhile.
func TestCloseUnlocksCopies(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, err := OpenFolder(dir)
	if err != nil {
		t.Fatalf("OpenFolder(new folder): got %v, want nil", err)
	}
	child, err := unix.Dup(int(first.handle.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("Close(): got %v, want nil", err)
	}
	second, err := OpenFolder(dir)
	if err != nil {
		t.Fatalf("OpenFolder(closed folder): got %v, want nil", err)
	}
	if err := errors.Join(second.Close(), unix.Close(child)); err != nil {
		t.Errorf("Close(): got %v, want nil", err)
	}
}
