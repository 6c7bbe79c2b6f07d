package server

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hush/server/settings"
	"hush/storage/disktest"
)

// The disk of the backups runs full while one is made. Nothing is left of it, the
// earlier ones stay, however many there are, and the next one is made once there is
// room. It needs the right to mount a disk.
func TestBackupOnFullDisk(t *testing.T) {
	dir := disktest.Small(t, "64k")
	s := &settings.Settings{}
	s.BackupTo, s.BackupPlain, s.BackupKeep = dir, true, 1
	b, now := scheduled(t, s)
	var earlier []string
	for range 2 { // more than are kept after a success
		*now = now.Add(-s.BackupEvery())
		earlier = append(earlier, b.names.of(*now))
	}
	*now = now.Add(2 * s.BackupEvery())
	slices.Sort(earlier)
	for _, name := range append(slices.Clone(earlier), "filler") {
		size := 1
		if name == "filler" {
			size = 56 << 10
		}
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := b.make(t.Context(), *now)
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("make(full disk): got %v, want that there is no space", err)
	}
	b.attempt(t.Context())
	if made := b.state(); !made.Failing || made.failures != 1 {
		t.Errorf("state: got %+v, want a failure", made)
	}
	if got, want := filesIn(t, dir), append([]string{"filler"}, earlier...); !slices.Equal(got, want) {
		t.Errorf("files after a failure: got %q, want %q", got, want)
	}
	if err := os.Remove(filepath.Join(dir, "filler")); err != nil {
		t.Fatal(err)
	}
	b.attempt(t.Context())
	if got, want := filesIn(t, dir), []string{b.names.of(*now)}; b.state().Failing || !slices.Equal(got, want) {
		t.Errorf("files after room was made: got %q and %+v, want %q", got, b.state(), want)
	}
}
