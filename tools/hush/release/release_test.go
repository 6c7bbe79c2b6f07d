package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// clone makes a repository with one commit.
func clone(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "file"), "text")
	for _, args := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "--message", "one", "--date", "2026-01-02T03:04:05Z"},
	} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = folder, append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: got %v, want nil: %s", args, err, out)
		}
	}
	return folder
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadCommit(t *testing.T) {
	t.Parallel()
	folder := clone(t)
	c, err := readCommit(t.Context(), folder)
	if want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC); err != nil || len(c.hash) != 40 || !c.time.Equal(want) {
		t.Errorf("readCommit: got %q at %s and %v, want a hash at %s", c.hash, c.time, err, want)
	}
}

// No one could build again what was not committed.
func TestChangesAreNotReleased(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"file", "new"} {
		folder := clone(t)
		write(t, filepath.Join(folder, name), "changed")
		if _, err := readCommit(t.Context(), folder); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("readCommit(with changes in %s): got %v, want an error that names it", name, err)
		}
	}
}

// Only files of an earlier release are removed.
func TestEmpty(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"hush_0.1.0_amd64.deb", "hush-0.1.0-1.x86_64.rpm", "SHA256SUMS", "SHA256SUMS.sig", "hush", "notes"} {
		write(t, filepath.Join(folder, name), "old")
	}
	if err := empty(folder); err != nil {
		t.Fatalf("empty: got %v, want nil", err)
	}
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	for i, path := range left {
		left[i] = filepath.Base(path)
	}
	if want := []string{"hush", "notes"}; !slices.Equal(left, want) {
		t.Errorf("empty: got %q left, want %q", left, want)
	}
}

// The time of a file and the folder that it is in do not show in an archive.
func TestArchivesOfTheSameAreTheSame(t *testing.T) {
	t.Parallel()
	var made [2]string
	for i := range made {
		folder := t.TempDir()
		path := filepath.Join(folder, "hush")
		write(t, path, "program")
		if err := os.Chtimes(path, time.Time{}, time.Unix(int64(i), 0)); err != nil {
			t.Fatal(err)
		}
		archive := filepath.Join(folder, "archive")
		if err := writeArchive(archive, time.Unix(1000, 0), []file{{"hush", path, 0o755}}); err != nil {
			t.Fatalf("writeArchive: got %v, want nil", err)
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		made[i] = string(content)
	}
	if made[0] != made[1] || made[0] == "" {
		t.Errorf("writeArchive: got two archives that differ, want the same")
	}
}
