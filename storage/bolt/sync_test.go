package bolt

import (
	"path/filepath"
	"testing"
)

// TestDatabaseSyncs: a database that skips its syncs is faster, passes every
// test in which no power fails, and keeps none of its promises. A folder must
// never be opened so, neither when it is made nor at a later start.
func TestDatabaseSyncs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	for _, start := range []string{"first", "second"} {
		folder, err := OpenFolder(dir)
		if err != nil {
			t.Fatalf("OpenFolder: got %v, want nil", err)
		}
		store, _, err := folder.Open(Options{})
		if err != nil {
			t.Fatalf("Open: got %v, want nil", err)
		}
		if store.db.NoSync {
			t.Errorf("NoSync after the %s start: got true, want false", start)
		}
		if store.db.NoGrowSync {
			t.Errorf("NoGrowSync after the %s start: got true, want false", start)
		}
		if err := folder.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	}
}
