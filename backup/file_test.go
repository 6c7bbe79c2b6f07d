package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hush/backup"
)

func TestFileGetsItsNameLast(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "b")
	for _, commit := range []bool{false, true} {
		f, err := backup.Create(name)
		if err != nil {
			t.Fatalf("Create: got %v, want nil", err)
		}
		if _, err := f.WriteString("content"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(name); err == nil {
			t.Error("the file before Commit: got one, want none")
		}
		if commit {
			if err := f.Commit(); err != nil {
				t.Errorf("Commit: got %v, want nil", err)
			}
		}
		if err := f.Discard(); err != nil {
			t.Errorf("Discard: got %v, want nil", err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 != commit || len(left) > 1 {
			t.Errorf("files after Commit %v: got %v, %v", commit, left, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v, want 0600", info.Mode(), err)
	}
	if _, err := backup.Create(name); !errors.Is(err, backup.ErrExists) {
		t.Errorf("Create(again): got %v, want %v", err, backup.ErrExists)
	}
}

// A file that appears while a backup is written is not overwritten.
func TestFileOverwritesNone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b")
	f, err := backup.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); !errors.Is(err, backup.ErrExists) {
		t.Errorf("Commit: got %v, want %v", err, backup.ErrExists)
	}
	if err := f.Discard(); err != nil {
		t.Errorf("Discard: got %v, want nil", err)
	}
	if content, err := os.ReadFile(name); err != nil || string(content) != "mine" {
		t.Errorf("the other file: got %q, %v, want it unchanged", content, err)
	}
}
