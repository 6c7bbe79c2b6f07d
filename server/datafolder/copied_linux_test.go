package datafolder_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/console"
	"hush/server/datafolder"
	"hush/server/settings"
	"hush/vault"
	"hush/vault/vaulttest"
)

// start does what the start of a service does with its data, and ends it. It returns what
// was logged.
func start(t *testing.T, args ...string) (logged string, err error) {
	t.Helper()
	moved := false
	if args[0] == "--moved" {
		moved, args = true, args[1:]
	}
	s := settingsOf(t, append([]string{"--data"}, args...)...)
	s.Moved = moved
	return use(t, s, datafolder.Open)
}

// use opens data and a vault on it, and closes both.
func use(t *testing.T, s *settings.Settings, open func(context.Context, *settings.Settings, *console.Console, *slog.Logger) (*datafolder.Data, error)) (logged string, err error) {
	t.Helper()
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	d, err := open(t.Context(), s, &console.Console{Err: io.Discard}, log)
	if err != nil {
		return text.String(), err
	}
	v, err := d.OpenVault(t.Context(), "test", vault.Options{Log: slog.New(slog.DiscardHandler), Manual: true})
	if err == nil {
		v.Close()
	}
	return text.String(), errors.Join(err, d.Close())
}

// copyFolder copies a folder file by file.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	vaulttest.Want(t, "CopyFS()", errors.Join(os.CopyFS(to, os.DirFS(from)), os.Chmod(to, 0o700)), nil)
	vaulttest.Want(t, "Chmod(root.key)", os.Chmod(filepath.Join(to, datafolder.RootKeyName), 0o400), nil)
}

func wantRefused(t *testing.T, name string, err error, words ...string) {
	t.Helper()
	for _, text := range words {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("start on %s: got %v, want an error with %q", name, err, text)
		}
	}
}

func wantServed(t *testing.T, name string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("start on %s: got %v, want nil", name, err)
	}
}

// An operator copies a data folder, and serves the copy beside it: each link would open
// twice. The copy is refused until the operator says that the old folder is gone.
func TestCopiedFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := vaulttest.LastingDir(t)
	first, copied, moved := filepath.Join(dir, "data"), filepath.Join(dir, "copied"), filepath.Join(dir, "moved")
	_, err := start(t, first)
	wantServed(t, "a new folder", err)
	copyFolder(t, first, copied)

	_, err = start(t, copied)
	wantRefused(t, "a copy", err, "the data folder "+copied+" is a copy: hush.db and shares are other files than those that were served last",
		"would open here and in the old folder", "start once with --moved", "--spent-log, which is off")
	_, err = start(t, copied, "--spent-log", filepath.Join(dir, "spent"))
	wantRefused(t, "a copy", err, "start once with --moved")
	if strings.Contains(err.Error(), "--spent-log") {
		t.Errorf("start on a copy with a spent log: got %v, want no advice about one", err)
	}
	_, err = start(t, first)
	wantServed(t, "the folder", err)

	vaulttest.Want(t, "Rename()", os.Rename(first, moved), nil)
	_, err = start(t, moved)
	wantServed(t, "the folder after mv", err)

	logged, err := start(t, "--moved", copied)
	wantServed(t, "the copy with --moved", err)
	if !strings.Contains(logged, "remove the flag") {
		t.Errorf("log of a start with --moved: got %q, want advice to remove it", logged)
	}
	_, err = start(t, copied)
	wantServed(t, "the copy, later", err)
	again := filepath.Join(dir, "again")
	copyFolder(t, copied, again)
	_, err = start(t, again)
	wantRefused(t, "a copy of the copy", err, "is a copy")
}

// Commands that serve nothing open a copy, say that it is one, and make it none that is
// served.
func TestCommandsOpenACopy(t *testing.T) {
	t.Parallel()
	dir := vaulttest.LastingDir(t)
	first, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copied")
	_, err := start(t, first)
	wantServed(t, "a new folder", err)
	copyFolder(t, first, copied)
	logged, err := use(t, settingsOf(t, "--data", copied), datafolder.OpenExisting)
	wantServed(t, "a copy, by a command", err)
	if !strings.Contains(logged, "hush serve refuses this folder") || !strings.Contains(logged, copied+" is a copy") {
		t.Errorf("log of a command on a copy: got %q, want a warning", logged)
	}
	if logged, err := use(t, settingsOf(t, "--data", first), datafolder.OpenExisting); err != nil || logged != "" {
		t.Errorf("a command on the folder: got %v and the log %q, want neither", err, logged)
	}
	_, err = start(t, copied)
	wantRefused(t, "a copy that a command has opened", err, "is a copy")
}

// A start that fails has not accepted the copy.
func TestFailedStartAcceptsNoCopy(t *testing.T) {
	t.Parallel()
	dir := vaulttest.LastingDir(t)
	first, copied := filepath.Join(dir, "data"), filepath.Join(dir, "copied")
	for _, folder := range []string{first, filepath.Join(dir, "other")} {
		_, err := start(t, folder)
		wantServed(t, "a new folder", err)
	}
	copyFolder(t, first, copied)
	_, err := start(t, "--moved", copied, "--root-key-file", filepath.Join(dir, "other", datafolder.RootKeyName))
	wantRefused(t, "a copy with a wrong root key", err, "nothing was changed")
	_, err = start(t, copied)
	wantRefused(t, "the copy", err, "is a copy")
}

// A file that was put into the folder is named.
func TestFileOfACopyIsNamed(t *testing.T) {
	t.Parallel()
	dir := vaulttest.LastingDir(t)
	for name, words := range map[string][]string{
		datafolder.DatabaseName: {"hush.db in ", "a copy took its place, or an earlier release of hush compacted it", "start once with --moved"},
		datafolder.SharesName:   {"shares in ", "a copy took its place", "start once with --moved"},
	} {
		folder := filepath.Join(dir, name)
		_, err := start(t, folder)
		wantServed(t, "a new folder", err)
		path := filepath.Join(folder, name)
		content, err := os.ReadFile(path)
		vaulttest.Want(t, "putting a file back", errors.Join(err, os.Rename(path, path+"-of-before"), os.WriteFile(path, content, 0o600)), nil)
		_, err = start(t, folder)
		wantRefused(t, "a folder with another "+name, err, words...)
		_, err = start(t, "--moved", folder)
		wantServed(t, "it with --moved", err)
	}
}

// A mistyped name would begin anew where nothing is, and say that it has moved.
func TestMovedFolderHasData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	for _, folder := range []string{missing, dir} {
		_, err := start(t, "--moved", folder)
		wantRefused(t, "a folder without data", err, "--moved: ", "name the folder that has moved with --data")
	}
	if _, err := os.Stat(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("folder after a refused start: got %v, want none", err)
	}
}

// What is copied from a copy could be served beside the old folder.
func TestStoreIsNotCopiedFromACopy(t *testing.T) {
	t.Parallel()
	dir := vaulttest.LastingDir(t)
	first, copied, to := filepath.Join(dir, "data"), filepath.Join(dir, "copied"), filepath.Join(dir, "to")
	_, err := start(t, first)
	wantServed(t, "a new folder", err)
	copyFolder(t, first, copied)
	ends := func(from, to string, moved bool) error {
		e, err := datafolder.OpenEnds(t.Context(), from, to, "", true, moved, slog.New(slog.DiscardHandler))
		return errors.Join(err, e.Close())
	}
	wantRefused(t, "a copy of a copy", ends(copied, to, false), copied+" is a copy", "--moved")
	wantServed(t, "a copy of the folder", ends(first, to, false))
	wantServed(t, "what gives it up", ends(copied, "", false))
	wantServed(t, "a copy of one that has moved", ends(copied, filepath.Join(dir, "other"), true))
}
