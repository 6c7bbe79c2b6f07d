package disk

import (
	"path/filepath"
	"testing"
)

// Every system that Hush is built for says how much of a disk is free.
func TestDiskFree(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, place := range []string{folder, filepath.Join(folder, "not", "there")} {
		if free, known := FreeBytes(place); free <= 0 || !known {
			t.Errorf("FreeBytes(%s): got %d and %t, want some bytes that are known", place, free, known)
		}
	}
}
