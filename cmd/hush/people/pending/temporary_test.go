package pending_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cmd/hush/people/pending"
)

func TestFreeName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		number int
		want   string
	}{
		{"notes.txt", 1, "notes.txt"},
		{"notes.txt", 2, "notes-2.txt"},
		{"secret", 12, "secret-12"},
		{".env", 2, ".env-2"},
		{".env.local", 2, ".env-2.local"},
		{strings.Repeat("ä", 127) + "x", 2, strings.Repeat("ä", 126) + "-2"},
		{strings.Repeat("a", 251) + ".pdf", 10, strings.Repeat("a", 248) + "-10.pdf"},
	} {
		if got := pending.FreeName(c.name, c.number); got != c.want || len(got) > pending.NameLength {
			t.Errorf("FreeName(%q, %d): got %q, want %q", c.name, c.number, got, c.want)
		}
	}
}

// A run is killed: before it had the content, while it wrote it, and when all that was
// missing was the name. The next run removes the file or finishes it, and never replaces
// another.
func TestTemporaryFilesAreSettled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		whole  bool
		taken  bool
		folder string // below the one of the test
		file   string // what has the content afterwards; empty for none
		silent bool
	}{
		"partial": {silent: true},
		"whole":   {whole: true, file: "notes.txt"},
		"taken":   {whole: true, taken: true, file: "notes-2.txt"},
		"partial in a folder whose name is no UTF-8": {folder: "caf\xe9", silent: true},
		"whole in a folder whose name is no UTF-8":   {folder: "caf\xe9", whole: true, file: "notes.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, _ := newStore(t)
			folder := filepath.Join(t.TempDir(), c.folder)
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Skipf("needs names that are no UTF-8: %v", err)
			}
			temporary, to := filepath.Join(folder, pending.TemporaryPrefix+"A"), filepath.Join(folder, "notes.txt")
			claim := mustTake(t, s, mustLink(t, aLink))
			if err := claim.Persist(false); err != nil {
				t.Fatal(err)
			}
			if err := claim.NoteTemporary(temporary); err != nil {
				t.Fatalf("NoteTemporary: got %v, want no error", err)
			}
			mustWrite(t, temporary, "content")
			if c.taken {
				mustWrite(t, to, "another")
			}
			if c.whole {
				if err := claim.NoteWhole(temporary, to); err != nil {
					t.Fatalf("NoteWhole: got %v, want no error", err)
				}
			}
			if told := s.Sweep(); len(told) > 0 {
				t.Errorf("Sweep beside the run: got %q, want nothing", told)
			}
			claim.Release() // as a kill does it
			if told := s.Sweep(mustLink(t, aLink)); len(told) > 0 {
				t.Errorf("Sweep before the same link is opened: got %q, want nothing", told)
			}
			if told := s.Sweep(); (len(told) == 0) != c.silent {
				t.Errorf("Sweep: got %q, want it silent: %t", told, c.silent)
			}
			if _, err := os.Lstat(temporary); err == nil {
				t.Error("Sweep: got the temporary file, want it gone")
			}
			if c.file != "" {
				if got, err := os.ReadFile(filepath.Join(folder, c.file)); err != nil || string(got) != "content" {
					t.Errorf("Sweep: got %v and %q in %s, want the content", err, got, c.file)
				}
			}
			if again := mustTake(t, s, mustLink(t, aLink)); !again.Found() {
				t.Error("Take: got another claim, want the one that was kept")
			}
		})
	}
}

// The same link is opened again and the content is safe elsewhere, or it cannot be had
// again.
func TestTemporaryFilesOfTheSameLink(t *testing.T) {
	t.Parallel()
	for _, safe := range []bool{true, false} {
		s, _, _ := newStore(t)
		folder := t.TempDir()
		temporary, to := filepath.Join(folder, pending.TemporaryPrefix+"A"), filepath.Join(folder, "notes.txt")
		claim := mustTake(t, s, mustLink(t, aLink))
		if err := claim.Persist(false); err != nil {
			t.Fatal(err)
		}
		if err := claim.NoteWhole(temporary, to); err != nil {
			t.Fatalf("NoteWhole: got %v, want no error", err)
		}
		mustWrite(t, temporary, "content")
		claim.Release()
		again := mustTake(t, s, mustLink(t, aLink))
		if !again.HasTemporary(temporary) {
			t.Error("HasTemporary: got false, want what the earlier run noted")
		}
		if safe {
			again.DropTemporaries()
		} else if told := again.FinishTemporaries(); len(told) != 1 || !strings.Contains(told[0], to) {
			t.Errorf("FinishTemporaries: got %q, want the file", told)
		}
		if _, err := os.Lstat(temporary); err == nil {
			t.Errorf("content safe %t: got the temporary file, want it gone", safe)
		}
		if _, err := os.Lstat(to); (err == nil) == safe {
			t.Errorf("content safe %t: got %v for the file", safe, err)
		}
	}
}

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
