package process

import (
	"os"
	"path/filepath"
	"testing"
)

// CheckProfile refuses what WriteProfile would refuse, and creates nothing.
func TestCheckProfile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"": true, "profile": true, filepath.Join(folder, "new"): true, file: true,
		folder: false, filepath.Join(folder, "missing", "new"): false, filepath.Join(file, "new"): false,
	} {
		if err := CheckProfile(path); (err == nil) != want {
			t.Errorf("CheckProfile(%q): got %v, want it accepted %t", path, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
		t.Error("CheckProfile(new): got a file, want none")
	}
}
