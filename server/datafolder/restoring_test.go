package datafolder_test

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hush/cli/console"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/storage"
	"hush/storage/sharefile"
)

func settingsOf(t *testing.T, args ...string) *settings.Settings {
	t.Helper()
	command := &cobra.Command{}
	s := settings.Add(command, settings.Names()...)
	if err := command.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return s
}

// A service never takes an unfinished restore for its data, or for a folder to
// begin in.
func TestRestoringIsNoDataBeforeCommit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	open := func() error {
		d, err := datafolder.Open(t.Context(), settingsOf(t, "--data", dir), &console.Console{Err: io.Discard}, slog.New(slog.DiscardHandler))
		if err == nil {
			return d.Close()
		}
		return err
	}
	r, err := datafolder.OpenRestoring(dir)
	if err != nil {
		t.Fatalf("OpenRestoring(missing): got %v, want nil", err)
	}
	if !r.Created() {
		t.Error("Created(): got false, want true")
	}
	if _, err := datafolder.OpenRestoring(dir); !errors.Is(err, datafolder.ErrInUse) {
		t.Errorf("OpenRestoring(in use): got %v, want %v", err, datafolder.ErrInUse)
	}
	// What a process leaves that is killed now.
	left := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("files of an unfinished restore: got %v and %v, want two", entries, err)
	}
	for _, entry := range entries {
		if left[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatalf("Close(): got %v, want nil", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files after Close(): got %v and %v, want none", entries, err)
	}
	for name, content := range left {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(); err == nil || !strings.Contains(err.Error(), "was not finished") {
		t.Errorf("Open(unfinished restore): got %v, want an error that says so", err)
	}
	if r, err = datafolder.OpenRestoring(dir); err != nil {
		t.Fatalf("OpenRestoring(unfinished restore): got %v, want nil", err)
	}
	if err := errors.Join(r.Complete(t.Context(), sharefile.Extent{}), r.Commit(t.Context(), func(storage.Store) error { return nil }), r.Close()); err != nil {
		t.Fatalf("Commit(): got %v, want nil", err)
	}
	if _, err := datafolder.OpenRestoring(dir); err == nil || !strings.Contains(err.Error(), "is not empty (hush.db, shares)") {
		t.Errorf("OpenRestoring(data): got %v, want an error that names the files", err)
	}
}

// The top folder of a new disk holds what its file system made.
func TestOpenRestoringOnANewDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o700), os.Mkdir(filepath.Join(dir, "lost+found"), 0o700)); err != nil {
		t.Fatal(err)
	}
	r, err := datafolder.OpenRestoring(dir)
	if err != nil {
		t.Fatalf("OpenRestoring(with lost+found): got %v, want nil", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// A folder with anything but a root key is not restored into.
func TestOpenRestoringLeavesOtherFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{datafolder.DatabaseName, datafolder.SharesName, datafolder.CertificatesName, "note.txt"} {
		dir := t.TempDir()
		if err := errors.Join(os.Chmod(dir, 0o700), os.WriteFile(filepath.Join(dir, name), []byte("kept"), 0o600),
			os.WriteFile(filepath.Join(dir, datafolder.RootKeyName), nil, 0o400)); err != nil {
			t.Fatal(err)
		}
		if _, err := datafolder.OpenRestoring(dir); err == nil || !strings.Contains(err.Error(), "is not empty ("+name+")") {
			t.Errorf("OpenRestoring(with %s): got %v, want an error that names it", name, err)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, name)); string(kept) != "kept" || err != nil {
			t.Errorf("%s after OpenRestoring: got %q and %v, want it as it was", name, kept, err)
		}
	}
}
