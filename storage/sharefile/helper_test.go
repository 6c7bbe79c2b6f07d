package sharefile

import (
	"path/filepath"
	"testing"

	"hush/storage/disk"
)

// faults counts the faults that are reported.
type faults struct {
	calls int
	last  error
}

// openNew opens a new file, and closes it when t is over.
func openNew(t *testing.T) (*File, *faults) {
	t.Helper()
	path, id := filepath.Join(t.TempDir(), "shares"), NewStoreID()
	if err := Create(path, id); err != nil {
		t.Fatalf("Create: got %v, want nil", err)
	}
	seen := &faults{}
	shares, got, err := Open(path, Options{Fault: disk.NewFault(func(err error) {
		seen.calls++
		seen.last = err
	})})
	if err != nil || got != id {
		t.Fatalf("Open: got store id %x and %v, want %x and nil", got, err, id)
	}
	t.Cleanup(func() {
		if err := shares.Close(); err != nil {
			t.Errorf("Close: got %v, want nil", err)
		}
	})
	return shares, seen
}
