package people_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hush/client"
	"hush/server/servertest"
)

// tracesOf returns the traces of a link: its key, and what only the two ends know.
func tracesOf(link client.Link) []string {
	fragment := link.Expose()[len(link.Server)+len("/e#"):]
	return []string{fragment[:31], fragment[31:]}
}

// Another user of the machine looks at processes and files while a secret is opened.
func TestOpenLeavesNoTraces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	const text, phrase = "canary-of-the-content", "canary of the passphrase"
	shared := from.MustShare(t, client.ShareRequest{
		Content:    &client.Content{Bytes: bytes.Repeat([]byte(text), 4000)}, // more than a pipe holds
		Passphrase: client.Hide(phrase),
	})
	openingLeavesNoTraces(t, r, "open", shared.Link.Expose(), phrase, text, append(tracesOf(shared.Link), text, phrase))
	from.WantDelivered(t, shared)
}

// openingLeavesNoTraces runs a command that opens what waits behind a link, with a
// passphrase, and looks for canaries while it works and afterwards. The content is text,
// 4,000 times: more than a pipe holds.
func openingLeavesNoTraces(t *testing.T, r servertest.Recipient, name, link, phrase, text string, canaries []string) {
	t.Helper()
	c := r.Program(t, name, r.KeepLink(t, link), "--passphrase-file=-")
	c.Env = append(c.Env, "TMPDIR="+r.Folder)
	c.Stdin = strings.NewReader(phrase + "\n")
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
	processes := allProcesses(t, 0, "--passphrase-file=-", "TMPDIR="+r.Folder)
	wantNoCanary(t, "processes at work", processes, canaries...)
	wantNoCanary(t, "disk at work", slices.Concat(contentsOf(t, r.Home), contentsOf(t, r.Folder)), canaries...)
	var got bytes.Buffer
	if _, err := got.ReadFrom(content); err != nil || strings.Count(got.String(), text) != 4000 {
		t.Errorf("hush %s: got %v and %d bytes, want the content", name, err, got.Len())
	}
	if err := c.Wait(); err != nil {
		t.Errorf("hush %s: got %v, want no error", name, err)
	}
	wantNoCanary(t, "processes", allProcesses(t, 0, os.Args[0]), canaries...)
	wantNoCanary(t, "disk", slices.Concat(contentsOf(t, r.Home), contentsOf(t, r.Folder)), canaries...)
}

// A program that was started with secrets is at work. It alone has them, and it has
// no token.
func TestRunLeavesNoTraces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s := servertest.Start(t)
	from, r := servertest.NewSharer(t, s.URL), servertest.NewRecipient(t)
	const variable, file, token = "canary-of-a-variable", "canary-of-a-file", "canary-of-the-token"
	one, two := from.Text(t, variable), from.Text(t, file)
	canaries := slices.Concat([]string{variable, file}, tracesOf(one.Link), tracesOf(two.Link))
	kept := r.KeepLink(t, one.Link.Expose())
	c := r.Program(t, "run", "--secret", "A="+kept, "--file", "F="+r.KeepLink(t, two.Link.Expose()),
		"--", "/bin/sh", "-c", `echo $$; read line; cat "$F"`)
	c.Env = append(c.Env, "TMPDIR="+r.Folder, "HUSH_TOKEN="+token)
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
	processes := allProcesses(t, pid, "A="+kept, "TMPDIR="+r.Folder)
	wantNoCanary(t, "processes", processes, canaries...)
	wantNoCanary(t, "disk", slices.Concat(contentsOf(t, r.Home), contentsOf(t, r.Folder)), canaries...)
	environment, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil || !bytes.Contains(environment, []byte("A="+variable+"\x00")) {
		t.Errorf("variables of the program: got %v and %q, want the secret among them", err, environment)
	}
	wantNoCanary(t, "variables of the program", environment, token, file)
	from.WantDelivered(t, one)
	from.WantDelivered(t, two)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if !lines.Scan() || lines.Text() != file {
		t.Errorf("program: got %q, want the content of its file", lines.Text())
	}
	if err := c.Wait(); err != nil {
		t.Errorf("hush run: got %v, want no error", err)
	}
}
