package people

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/client"
)

func TestSafeName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"notes.txt":                          "notes.txt",
		"":                                   "secret",
		".":                                  "secret",
		"..":                                 "secret",
		"/":                                  "secret",
		".bashrc":                            "bashrc",
		"-rf":                                "rf",
		"../../etc/passwd":                   "passwd",
		`a\b`:                                "a_b",
		"line\nend\x7f":                      "line_end_",
		"\xff":                               "_",
		"übersicht.pdf":                      "übersicht.pdf",
		strings.Repeat("ä", 200) + ".pdf":    strings.Repeat("ä", 125) + ".pdf",
		strings.Repeat("a", 300):             strings.Repeat("a", 255),
		"a." + strings.Repeat("b", 300):      "a." + strings.Repeat("b", 253),
		strings.Repeat("x", 251) + ".pdf":    strings.Repeat("x", 251) + ".pdf",
		strings.Repeat("x", 252) + ".pdf":    strings.Repeat("x", 251) + ".pdf",
		"  .hidden with spaces at the start": "hidden with spaces at the start",
	} {
		if got := safeName(client.Content{FileName: name}, false); got != want {
			t.Errorf("safeName(%q, false): got %q, want %q", name, got, want)
		}
	}
}

// A folder that its reader chose gets a name with its dot: an .env would not be found
// without it.
func TestSafeNameWithADot(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".env": ".env", "notes.txt": "notes.txt", ".": "secret", "..": "secret", "...": "secret", "..env": "env", ".-env": "env",
		"-.env": "env", "a/.env": ".env", temporaryPrefix + "x": "hush-open-x", "." + strings.Repeat("a", 300): "." + strings.Repeat("a", 254),
	} {
		if got := safeName(client.Content{FileName: name}, true); got != want {
			t.Errorf("safeName(%q, true): got %q, want %q", name, got, want)
		}
	}
}

// In a folder a content takes a free name, and an earlier run's content is found again.
func TestSaveInAFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	save := func(mayBeThere bool, content string) *outputFile {
		to := mustOutputFile(t, folder, false, mayBeThere)
		if err := to.save(client.Content{FileName: "a.txt", Bytes: []byte(content)}); err != nil {
			t.Errorf("save(%s): got %v, want no error", content, err)
		}
		to.discard()
		return to
	}
	save(false, "one")
	if to := save(false, "two"); filepath.Base(to.path) != "a-2.txt" || to.wasSaved {
		t.Errorf("save beside another file: got %q, want a-2.txt", to.path)
	}
	if to := save(true, "two"); filepath.Base(to.path) != "a-2.txt" || !to.wasSaved {
		t.Errorf("save of what an earlier run saved: got %q and %t, want that file", to.path, to.wasSaved)
	}
	if err := os.Mkdir(filepath.Join(folder, "a-3.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	save(false, "three")
	if got, err := os.ReadFile(filepath.Join(folder, "a-4.txt")); err != nil || string(got) != "three" {
		t.Errorf("save beside a folder: got %v and %q, want a-4.txt", err, got)
	}
}

// giveTemporaryName makes the temporary file one with a name, as where the system has no others.
func giveTemporaryName(t *testing.T, to *outputFile) {
	t.Helper()
	path := temporaryName(to.folder())
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	to.discard()
	to.temporary, to.temporaryName = file, path
}

func mustOutputFile(t *testing.T, path string, overwrite, mayBeThere bool) *outputFile {
	t.Helper()
	to, err := newOutputFile(path, overwrite, mayBeThere)
	if err != nil {
		t.Fatalf("newOutputFile(%s): got %v, want no error", path, err)
	}
	t.Cleanup(to.discard)
	return to
}

func wantFiles(t *testing.T, folder string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(want) {
		t.Errorf("folder: got %v and %v, want %d files", err, entries, len(want))
	}
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || string(got) != content {
			t.Errorf("%s: got %v and %q, want %q", name, err, got, content)
		}
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*testing.T, *outputFile){"without a name": func(*testing.T, *outputFile) {}, "with a name": giveTemporaryName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "file")
			save := func(to *outputFile, content string) error {
				prepare(t, to)
				defer to.discard()
				return to.save(client.Content{Bytes: []byte(content)})
			}
			if err := save(mustOutputFile(t, path, false, false), "one"); err != nil {
				t.Errorf("save: got %v, want no error", err)
			}
			wantFiles(t, folder, map[string]string{"file": "one"})
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("file: got mode %v, want it for its owner only", info.Mode())
			}
			if to := mustOutputFile(t, path, false, true); save(to, "one") != nil || !to.wasSaved {
				t.Error("save of what an earlier run saved: got an error or another file, want the one that is there")
			}
			if err := save(mustOutputFile(t, path, false, true), "two"); err == nil || !strings.Contains(err.Error(), "exists") {
				t.Errorf("save over another file: got %v, want it refused", err)
			}
			wantFiles(t, folder, map[string]string{"file": "one"})
			if err := save(mustOutputFile(t, path, true, false), "two"); err != nil {
				t.Errorf("save with overwrite: got %v, want no error", err)
			}
			wantFiles(t, folder, map[string]string{"file": "two"})
		})
	}
}

// Another program creates the file while the secret is revealed.
func TestSaveOverwritesNoLateFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	to := mustOutputFile(t, path, false, false)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := to.save(client.Content{Bytes: []byte("ours")}); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("save over a late file: got %v, want it refused", err)
	}
	to.discard()
	wantFiles(t, folder, map[string]string{"file": "theirs"})
}

// What a killed run left without a content is removed. A content stays, since no one may
// have it otherwise, and so does what another run works on.
func TestLeftFilesAreRemoved(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	left := temporaryName(folder)
	for path, content := range map[string]string{left: "left", temporaryName(folder): "", temporaryName(folder): "\x00\x00\x00"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	busy := mustOutputFile(t, filepath.Join(folder, "busy"), true, false)
	if busy.temporaryName == "" {
		busy.temporaryName = temporaryName(folder)
		if err := linkNameless(busy.temporary, busy.temporaryName); err != nil {
			t.Fatal(err)
		}
	}
	to := mustOutputFile(t, filepath.Join(folder, "file"), false, false)
	if len(to.leftovers) != 1 || to.leftovers[0] != left {
		t.Errorf("newOutputFile: got %q as left, want %q", to.leftovers, left)
	}
	to.discard()
	wantFiles(t, folder, map[string]string{filepath.Base(busy.temporaryName): "", filepath.Base(left): "left"})
}

func TestTargetsThatAreRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "missing", "file"): "there is no folder",
		filepath.Join(folder, "missing") + "/":   "there is no folder",
		filepath.Join(folder, "link"):            "is a symbolic link, which is not replaced",
		"/dev/null":                              "is not a file, and is not replaced: name a file, or print with --output -",
	} {
		for _, overwrite := range []bool{false, true} {
			to, err := newOutputFile(path, overwrite, false)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("newOutputFile(%s, %t): got %v, want %q", path, overwrite, err, want)
			}
			to.discard()
		}
	}
}
