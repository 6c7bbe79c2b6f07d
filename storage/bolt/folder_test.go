package bolt_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/storage/bolt"
	"hush/storage/bolt/bolttest"
	"hush/testtier"
)

func TestOpenFolderCreates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for _, wantCreated := range []bool{true, false} {
		folder := bolttest.MustOpenFolder(t, dir)
		if folder.Created != wantCreated {
			t.Errorf("OpenFolder: got Created %v, want %v", folder.Created, wantCreated)
		}
		if exists, err := folder.Exists(); exists || err != nil {
			t.Errorf("Exists(empty folder): got %v, %v, want false", exists, err)
		}
		if got, want := folder.Path("root.key"), filepath.Join(dir, "root.key"); got != want {
			t.Errorf("Path(root.key): got %s, want %s", got, want)
		}
		bolttest.MustClose(t, folder)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of a new folder: got %v, %v, want 0700", info.Mode(), err)
	}
}

func TestOpenFolderRefusesOthers(t *testing.T) {
	for mode, want := range map[os.FileMode]string{
		0o750: "has mode 0750; run: chmod 700", 0o701: "chmod 700", 0o755: "chmod 700",
		// The root of a volume in Kubernetes.
		os.ModeSetgid | 0o775: "has mode 2775, as the root of a volume may; name a folder inside it",
	} {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		folder, err := bolt.OpenFolder(dir)
		if err == nil {
			bolttest.MustClose(t, folder)
			t.Fatalf("OpenFolder(mode %v): got nil, want an error", mode)
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("OpenFolder(mode %v): got %q, want %q in it", mode, err, want)
		}
	}
}

func TestOpenFolderRefusesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.OpenFolder(path); err == nil {
		t.Errorf("OpenFolder(file): got nil, want an error")
	}
}

func TestLockRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := bolttest.MustOpenFolder(t, dir)
	_, err := bolt.OpenFolder(dir)
	if !errors.Is(err, bolt.ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("OpenFolder(held folder): got %v, want %v with its name", err, bolt.ErrLocked)
	}
	// A process that is about to end lets its successor in.
	time.AfterFunc(100*time.Millisecond, func() { bolttest.MustClose(t, first) })
	bolttest.MustOpenFolder(t, dir)
}

// TestLockAcrossProcesses starts this test again as a second process.
func TestLockAcrossProcesses(t *testing.T) {
	const variable = "TEST_LOCKED_FOLDER"
	if dir := os.Getenv(variable); dir != "" {
		if _, err := bolt.OpenFolder(dir); !errors.Is(err, bolt.ErrLocked) {
			t.Errorf("OpenFolder in a second process: got %v, want %v", err, bolt.ErrLocked)
		}
		return
	}
	testtier.Check(t, "starts a second process")
	dir := filepath.Join(t.TempDir(), "data")
	bolttest.MustOpenFolder(t, dir)
	second := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLockAcrossProcesses$")
	second.Env = append(os.Environ(), variable+"="+dir)
	if out, err := second.CombinedOutput(); err != nil {
		t.Errorf("second process: %v\n%s", err, out)
	}
}

// CheckFolder says what OpenFolder would say, and creates nothing.
func TestCheckFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, open, own, missing := filepath.Join(dir, "file"), filepath.Join(dir, "open"), filepath.Join(dir, "own"), filepath.Join(dir, "missing", "too")
	err := errors.Join(os.WriteFile(file, nil, 0o600), os.Mkdir(open, 0o700), os.Chmod(open, 0o750), os.Mkdir(own, 0o700))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file: "not a folder", filepath.Join(file, "x"): "not a directory", open: "run: chmod 700 " + open, own: "", missing: "",
	} {
		err := bolt.CheckFolder(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("CheckFolder(%s): got %v, want %q", path, err, want)
		}
		if want == "" {
			continue
		}
		if _, err := bolt.OpenFolder(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("OpenFolder(%s): got %v, want %q", path, err, want)
		}
	}
	if _, err := os.Stat(filepath.Dir(missing)); err == nil {
		t.Error("CheckFolder(missing): got a folder, want none")
	}
}
