package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"hush/server/servertest"
)

const readme = "../../README.md"

// A new user follows the README: shares a file and waits, and opens it elsewhere. The
// first terminal says that the file arrived.
func TestReadme(t *testing.T) {
	t.Parallel()
	k := newShellKit(t)
	k.write(t, ".env", "DB_PASSWORD=correct horse\n")
	sessions := consoleSessions(t, readme)
	if len(sessions) != 2 {
		t.Fatalf("README: got %d commands, want 2", len(sessions))
	}
	c := &transcript{url: k.URL, dir: k.folder, environment: k.environment, known: map[string]string{}, messages: true}
	watch := c.begin(t, k, sessions[0])
	for _, session := range sessions[1:] {
		session.want = changing.ReplaceAllString(session.want, "$1…")
		c.run(t, session)
	}
	if err := watch.Wait(); err != nil {
		t.Errorf("%s: got %v, want it to end well; it wrote:\n%s", sessions[0].command, err, watch.Stdout)
	}
	if got := watch.Stdout.(*servertest.Output).String(); !regexp.MustCompile(`\ndelivered: opened [^\n]*, and the recipient's device has the content\n$`).MatchString(got) {
		t.Errorf("%s: got\n%s\nwant the end that the README shows", sessions[0].command, got)
	}
	k.wantFile(t, "received.env", "DB_PASSWORD=correct horse\n")
}

// begin starts a command that waits, and returns once it printed what is shown.
func (c *transcript) begin(t *testing.T, k *shellKit, s dialogue) *exec.Cmd {
	t.Helper()
	shell, _ := k.shell(t, s.command)
	out := servertest.NewOutput()
	shell.Stdout, shell.Stderr = out, out
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	want := likeness(changing.ReplaceAllString(s.want, "$1…"))
	answer := func() string { return strings.TrimSpace(strings.ReplaceAll(out.String(), c.url, shownURL)) }
	servertest.WaitUntil(t, s.command, func() bool { return want.MatchString(answer()) })
	c.note(s.want, answer())
	return shell
}
