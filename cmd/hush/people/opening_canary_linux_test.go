package people_test

import (
	"bufio"
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hush/client"
	"hush/server/servertest"
)

// traces are texts that must not be where others can read them.
type traces map[string]string

// tracesOf returns the traces of a link: its key, and what only the two ends know.
func tracesOf(link client.Link) traces {
	fragment := link.Expose()[len(link.Server)+len("/e#"):]
	return traces{"key": fragment[:31], "link secret": fragment[31:]}
}

// wantNowhere fails the test if a text is in the arguments or variables of a
// process, the excepted one's variables aside, or in a file below the folders.
func (c traces) wantNowhere(t *testing.T, except int, folders ...string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(processes) == 0 {
		t.Fatalf("processes: got %v and %d, want some", err, len(processes))
	}
	for _, process := range processes {
		c.wantNotIn(t, filepath.Join(process, "cmdline"))
		if filepath.Base(process) != strconv.Itoa(except) {
			c.wantNotIn(t, filepath.Join(process, "environ"))
		}
	}
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				c.wantNotIn(t, path)
			}
			return err
		})
	}
}

func (c traces) wantNotIn(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return // the process has ended, or is another user's
	}
	for name, canary := range c {
		if bytes.Contains(text, []byte(canary)) {
			t.Errorf("%s: got the %s in it, want it nowhere", path, name)
		}
	}
}

// Another user of the machine looks at processes and files while a secret is opened.
func TestOpenLeavesNoTraces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	seen := traces{"content": "canary-of-the-content", "passphrase": "canary of the passphrase"}
	shared := from.MustShare(t, client.ShareRequest{
		Content:    &client.Content{Bytes: bytes.Repeat([]byte(seen["content"]), 4000)}, // more than a pipe holds
		Passphrase: client.Hide(seen["passphrase"]),
	})
	maps.Copy(seen, tracesOf(shared.Link))
	c := r.Program(t, "open", r.KeepLink(t, shared.Link.Expose()), "--passphrase-file=-")
	c.Env = append(c.Env, "TMPDIR="+r.Folder)
	c.Stdin = strings.NewReader(seen["passphrase"] + "\n")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	content := bufio.NewReader(out)
	if _, err := content.Peek(1); err != nil { // it has the content, and waits for its reader
		t.Fatal(err)
	}
	if len(r.Claims(t)) != 1 {
		t.Errorf("claims: got %q, want one", r.Claims(t))
	}
	seen.wantNowhere(t, 0, r.Home, r.Folder)
	var got bytes.Buffer
	if _, err := got.ReadFrom(content); err != nil || strings.Count(got.String(), seen["content"]) != 4000 {
		t.Errorf("hush open: got %v and %d bytes, want the content", err, got.Len())
	}
	if err := c.Wait(); err != nil {
		t.Errorf("hush open: got %v, want no error", err)
	}
	seen.wantNowhere(t, 0, r.Home, r.Folder)
	from.WantDelivered(t, shared)
}

// A program that was started with secrets is at work. It alone has them, and it has
// no token.
func TestRunLeavesNoTraces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	seen := traces{"content": "canary-of-a-variable", "file": "canary-of-a-file"}
	one, two := from.Text(t, seen["content"]), from.Text(t, seen["file"])
	for _, shared := range []client.Shared{one, two} {
		for name, canary := range tracesOf(shared.Link) {
			seen[name+" of "+shared.Receipt.ShortID] = canary
		}
	}
	c := r.Program(t, "run", "--secret", "A="+r.KeepLink(t, one.Link.Expose()), "--file", "F="+r.KeepLink(t, two.Link.Expose()),
		"--", "/bin/sh", "-c", `echo $$; read line; cat "$F"`)
	c.Env = append(c.Env, "TMPDIR="+r.Folder, "HUSH_TOKEN=canary-of-the-token")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("program: got %v, want its number", lines.Err())
	}
	pid, err := strconv.Atoi(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	servertest.WaitUntil(t, "the acknowledgements", func() bool { return len(r.Claims(t)) == 0 })
	seen.wantNowhere(t, pid, r.Home, r.Folder)
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil || !bytes.Contains(environment, []byte("A="+seen["content"]+"\x00")) {
		t.Errorf("variables of the program: got %v and %q, want the secret among them", err, environment)
	}
	traces{"token": "canary-of-the-token", "file": seen["file"]}.wantNotIn(t, filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	from.WantDelivered(t, one)
	from.WantDelivered(t, two)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || lines.Text() != seen["file"] {
		t.Errorf("program: got %q, want the content of its file", lines.Text())
	}
	if err := c.Wait(); err != nil {
		t.Errorf("hush run: got %v, want no error", err)
	}
}
