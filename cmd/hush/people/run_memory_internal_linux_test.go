package people

import (
	"os"
	"testing"
)

// The program can read the file, and nothing can change it any more.
func TestMemoryFile(t *testing.T) {
	t.Parallel()
	file, err := newMemoryFile([]byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.close()
	for range 2 { // each one reads from the start
		if got, err := os.ReadFile(file.path()); err != nil || string(got) != "content" {
			t.Errorf("%s: got %v and %q, want the content", file.path(), err, got)
		}
	}
	if info, err := os.Stat(file.path()); err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("%s: got mode %v, want 0400", file.path(), info.Mode())
	}
	if _, err := file.file.WriteAt([]byte("x"), 0); err == nil {
		t.Error("WriteAt: got no error, want a sealed file")
	}
	if err := file.file.Truncate(0); err == nil {
		t.Error("Truncate: got no error, want a sealed file")
	}
	if (memoryFile{}).path() != "" {
		t.Error("path of no file: got one, want none")
	}
}
