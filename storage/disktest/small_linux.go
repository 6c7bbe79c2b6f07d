package disktest

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// Small mounts a file system of that size ("64k", "6m") for the test and returns its
// folder. It skips the test where the process may not mount one.
func Small(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=700"); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skipf("needs the right to mount a file system: %v", err)
	} else if err != nil {
		t.Fatalf("Mount(tmpfs of %s): %v", size, err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("Unmount: got %v, want nil", err)
		}
	})
	return dir
}
