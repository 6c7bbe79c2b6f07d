package people_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
)

// largeSize is more than a server takes in one message.
const largeSize = 300_000

// largeFile makes a file of random bytes in a folder, and returns its path and content.
func largeFile(t testing.TB, folder string, size int) (path string, content []byte) {
	t.Helper()
	content = make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{29, byte(size)}).Read(content)
	path = filepath.Join(folder, "disk.img")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, content
}

// uploads returns the names of what is kept of uploads.
func (p sender) uploads() []string {
	var home string
	for _, entry := range p.environment {
		if path, ok := strings.CutPrefix(entry, "XDG_STATE_HOME="); ok {
			home = path
		}
	}
	return servertest.NamesIn(p.t, filepath.Join(home, "hush", "uploads"))
}

func wantBytes(t testing.TB, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: got %d bytes, %v, want the %d that were shared", filepath.Base(path), len(got), err, len(want))
	}
}

// A file that is too large for one message goes in parts, and the recipient sees what it is
// before opening it.
func TestFileInParts(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	path, content := largeFile(t, t.TempDir(), largeSize)
	shared := p.share("", path, "--note", "for the restore\nof Friday", "--json").Want(t, "share", command.ExitOK, "all of the file has arrived")
	var printed struct {
		Link, Receipt string
		FileName      string `json:"file_name"`
		Size          int64
		Arriving      bool
	}
	if err := json.Unmarshal([]byte(shared.Stdout), &printed); err != nil || printed.FileName != "disk.img" || printed.Size != largeSize || !printed.Arriving {
		t.Fatalf("hush share --json: got %q, %v, want an object with the file", shared.Stdout, err)
	}
	if left := p.uploads(); len(left) > 0 {
		t.Errorf("hush share: got the files %q, want none kept", left)
	}
	folder := t.TempDir()
	opened := servertest.Call(t, p.environment, "", "open", printed.Link, "--output", folder, "--json").
		Want(t, "open", command.ExitOK, `it is the file "disk.img", of 293 KiB (300000 bytes)`, "note of the sender | for the restore", "note of the sender | of Friday")
	if !strings.Contains(opened.Stdout, `"kind":"file","file_name":"disk.img","note":"for the restore\nof Friday","size":300000`) {
		t.Errorf("hush open --json: got %q, want the file in it", opened.Stdout)
	}
	wantBytes(t, filepath.Join(folder, "disk.img"), content)
	if info, err := os.Stat(filepath.Join(folder, "disk.img")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want mode 0600", info.Mode(), err)
	}
	if names := servertest.NamesIn(t, folder); len(names) != 1 {
		t.Errorf("got the files %q, want the one alone", names)
	}
	receipt := servertest.Call(t, p.environment, printed.Receipt, "receipt", "-", "--json").Want(t, "receipt", command.ExitOK)
	if !strings.Contains(receipt.Stdout, `"delivery":"delivered"`) || !strings.Contains(receipt.Stdout, `"parts":1,"arrived":1,"fetched":1,"complete":true`) {
		t.Errorf("hush receipt --json: got %q, want it delivered", receipt.Stdout)
	}
}

// What prevents that a file is written is found before it is opened, and commands that fetch
// none open none.
func TestFileInPartsIsRefusedBeforeItIsOpened(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	path, content := largeFile(t, t.TempDir(), largeSize)
	link := strings.TrimSpace(p.share("", path).Want(t, "share", command.ExitOK).Stdout)
	folder := t.TempDir()
	there := filepath.Join(folder, "there")
	servertest.MustWrite(t, there, "another")
	for _, c := range []struct {
		code  int
		words string
		args  []string
	}{
		{command.ExitFailure, "--overwrite replaces it", []string{"open", link, "-o", there}},
		{command.ExitFailure, "there is no folder", []string{"open", link, "-o", filepath.Join(folder, "none", "x")}},
		{command.ExitUsage, "not written to standard output", []string{"open", link}},
		{command.ExitUsage, "not written to standard output", []string{"open", link, "-o", "-"}},
		{command.ExitUsage, "not written to standard output", []string{"open", link, "--json"}},
		{command.ExitRun, "which only \"hush open\" fetches", []string{"run", "--secret", "A=" + link, "--", "/bin/true"}},
	} {
		servertest.Call(t, p.environment, "", c.args...).Want(t, strings.Join(c.args, " "), c.code, c.words)
	}
	if names := servertest.NamesIn(t, folder); len(names) != 1 {
		t.Errorf("got the files %q, want the one alone", names)
	}
	servertest.Call(t, p.environment, "", "open", link, "-o", there, "--overwrite").Want(t, "open --overwrite", command.ExitOK)
	wantBytes(t, there, content)
}

func TestFileInPartsWithPassphrase(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	folder := t.TempDir()
	path, content := largeFile(t, folder, largeSize)
	passphrase := filepath.Join(folder, "passphrase")
	servertest.MustWrite(t, passphrase, "quick otter\n")
	link := strings.TrimSpace(p.share("", path, "--passphrase-file", passphrase).Want(t, "share", command.ExitOK).Stdout)
	to := t.TempDir()
	servertest.Call(t, p.environment, "", "open", link, "-o", to).Want(t, "open", command.ExitPassphrase, "its passphrase hides the rest")
	wrong := filepath.Join(folder, "wrong")
	servertest.MustWrite(t, wrong, "slow otter\n")
	servertest.Call(t, p.environment, "", "open", link, "-o", to, "--passphrase-file", wrong).Want(t, "open", command.ExitPassphrase)
	if names := servertest.NamesIn(t, to); len(names) > 0 {
		t.Errorf("got the files %q, want none", names)
	}
	servertest.Call(t, p.environment, "", "open", link, "-o", to, "--passphrase-file", passphrase).Want(t, "open", command.ExitOK)
	wantBytes(t, filepath.Join(to, "disk.img"), content)
}

func TestFileInPartsIsTooLarge(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t, "--max-anonymous-file-bytes=250KiB"))
	path, content := largeFile(t, t.TempDir(), largeSize)
	p.share("", path).Want(t, "share", command.ExitRefused, "the file has 300000 bytes", "takes files of at most 256000, and other contents of at most 102400")
	p.share(string(content)).Want(t, "share from a pipe", command.ExitRefused, "a file may have 256000 bytes: save it as one")
	p.share("", path, "--text").Want(t, "share --text", command.ExitRefused, "without --text the file may have")
	for words, args := range map[string][]string{
		"--note is for a file":     {"--note", "x"},
		"leave out the note":       {path, "--note", "x", "--generate-passphrase"},
		"--anew is for a file":     {"--anew"},
		"encrypts has no note":     {path, "--note", "x", "--encryption", "server"},
		"at most 500 characters":   {smallFile(t), "--note", strings.Repeat("x", client.NoteToRecipientMax+1)},
		"none that control a term": {smallFile(t), "--note", "\x1b[2J"},
	} {
		p.share("x", args...).Want(t, strings.Join(args, " "), command.ExitUsage, words)
	}
	off := newSender(t, servertest.Start(t, "--max-anonymous-file-bytes=0"))
	off.share("", path).Want(t, "share where no files are taken", command.ExitRefused, "takes at most 102400; nothing was sent")
	off.share("", smallFile(t), "--note", "x").Want(t, "share --note where no files are taken", command.ExitRefused, "takes none")
}

// smallFile makes a file that one message holds.
func smallFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small")
	if err := os.WriteFile(path, []byte("small"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A note is what only files in parts have, so that a small one goes so, too.
func TestSmallFileWithNote(t *testing.T) {
	t.Parallel()
	p := newSender(t, servertest.Start(t))
	link := strings.TrimSpace(p.share("", smallFile(t), "--note", "look").Want(t, "share", command.ExitOK).Stdout)
	to := filepath.Join(t.TempDir(), "x")
	servertest.Call(t, p.environment, "", "open", link, "-o", to).Want(t, "open", command.ExitOK, "note of the sender | look", `"small", of 5 bytes`)
	wantBytes(t, to, []byte("small"))
}
