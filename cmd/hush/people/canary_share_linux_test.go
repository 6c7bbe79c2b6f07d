package people_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hush/client"
	"hush/server/servertest"
)

// clipboardTool is a program in the place of the system's, which notes what it is
// given.
const clipboardTool = `#!/bin/sh
printf '%s\n' "$@" >>"$NOTES/arguments"
cat /proc/self/environ >>"$NOTES/environment"
cat >"$NOTES/input"
`

// An attacker with an account on the sender's machine reads the arguments and
// variables of all processes, and later the disk. The secret, its link and its
// passphrase are in none of them, and the token is not passed on to the clipboard's
// tool, which is the one program that share starts.
func TestShareLeavesNoTrace(t *testing.T) {
	t.Parallel()
	const secret, phrase = "canary-of-the-shared-text", "canary-of-the-passphrase"
	s := servertest.Start(t)
	token := servertest.Operator{T: t, Data: s.Data}.Account("sender@example.com")
	work, notes, tools := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "xclip"), []byte(clipboardTool), 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "share", "--passphrase-prompt", "--copy", "--watch", "--ttl=1h")
	c.Env = []string{servertest.AsProgram + "=1", "PATH=" + tools + ":/bin:/usr/bin", "HOME=" + work, "TMPDIR=" + work, "NOTES=" + notes, "HUSH_SERVER=" + s.URL, "HUSH_TOKEN=" + token}
	c.Dir, c.Stdin = work, strings.NewReader(secret)
	at := servertest.StartOnTerminal(t, c)
	at.Types("Passphrase: ", phrase+"\r")
	at.Types("The same again: ", phrase+"\r")
	link, err := client.ParseLink(at.Link().Stdout)
	if err != nil {
		t.Fatal(err)
	}
	at.Shown.WaitFor(t, "waiting; expires in ")
	canaries := []string{secret, phrase, link.Key.Expose(), link.Expose()[len(link.Expose())-43:]}
	wantNoCanary(t, "processes", allProcesses(t, 0, "--passphrase-prompt", "NOTES="+notes), canaries...)
	wantNoCanary(t, "arguments of the clipboard's tool", noted(t, notes, "arguments"), append(canaries, token)...)
	wantNoCanary(t, "variables of the clipboard's tool", noted(t, notes, "environment"), append(canaries, token)...)
	if got := noted(t, notes, "input"); string(got) != link.Expose() {
		t.Errorf("clipboard: got %q, want the link", got)
	}
	at.Types("waiting; expires in ", "\x03")
	at.Ends()
	wantNoCanary(t, "screen", []byte(at.Shown.String()), secret, phrase, token)
	wantNoCanary(t, "disk", contentsOf(t, work), append(canaries, token)...)
}

// wantNoCanary fails the test if bytes have a canary, as it is or encoded.
func wantNoCanary(t *testing.T, where string, in []byte, canaries ...string) {
	t.Helper()
	for _, canary := range canaries {
		for _, form := range []string{canary, hex.EncodeToString([]byte(canary)), base64.RawStdEncoding.EncodeToString([]byte(canary))} {
			if bytes.Contains(in, []byte(form)) {
				t.Errorf("%s: got %q in it, want none", where, form)
			}
		}
	}
}

func noted(t *testing.T, folder, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil || len(content) == 0 {
		t.Fatalf("%s: got %q and %v, want what the tool noted", name, content, err)
	}
	return content
}

// allProcesses returns the arguments and variables of all processes that can be read,
// each after the name of its file, without the variables of the process with number
// except. It fails the test unless it saw the markers, which are in the arguments or
// variables of the test's own processes: else it would not have seen a canary either.
func allProcesses(t *testing.T, except int, markers ...string) (all []byte) {
	t.Helper()
	for _, pattern := range []string{"/proc/[0-9]*/cmdline", "/proc/[0-9]*/environ"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: got %d and %v, want processes", pattern, len(found), err)
		}
		for _, name := range found {
			if name == fmt.Sprintf("/proc/%d/environ", except) {
				continue
			}
			content, err := os.ReadFile(name)
			if err != nil && !isGoneOrForeign(err) {
				t.Fatal(err)
			}
			all = append(append(append(append(all, name...), '\n'), content...), 0)
		}
	}
	for _, marker := range markers {
		if !bytes.Contains(all, []byte(marker)) {
			t.Fatalf("processes: got none with %q, want that of this test", marker)
		}
	}
	return all
}

// isGoneOrForeign reports whether an error of reading about a process says that it has
// ended, or is another user's.
func isGoneOrForeign(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) || errors.Is(err, fs.ErrPermission)
}

// contentsOf returns the names and contents of all files below a folder.
func contentsOf(t *testing.T, folder string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		all = append(append(append(all, name...), '\n'), content...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
