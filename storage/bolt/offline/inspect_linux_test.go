package offline_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
)

// An inspection leaves no trace, and works where nothing can be written.
func TestInspectChangesNothing(t *testing.T) {
	t.Parallel()
	dir := stoppedFolder(t)
	before := traces(t, dir)
	if err := look(t, dir); err != nil {
		t.Fatal(err)
	}
	if after := traces(t, dir); after != before {
		t.Errorf("folder after Inspect(): got\n%s, want\n%s", after, before)
	}
}

// traces returns the size and the times of a folder and of its files, without
// reading it.
func traces(t *testing.T, dir string) (text string) {
	t.Helper()
	for _, name := range []string{".", "hush.db", "shares", "ballast", "hush.db.new"} {
		var stat syscall.Stat_t
		err := syscall.Lstat(filepath.Join(dir, name), &stat)
		text += fmt.Sprintln(name, err, stat.Mode, stat.Size, stat.Blocks, stat.Atim, stat.Mtim, stat.Ctim)
	}
	return text
}
