package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/server/servertest"
)

// TestReadme runs the README's commands one after the other and compares what
// they print. Where the README stands for something with a word in brackets or
// shows keys of its own, the keys of the answers before are put in.
func TestReadme(t *testing.T) {
	needCurl(t)
	s := servertest.Start(t)
	sessions := slices.DeleteFunc(consoleSessions(t, readme), isClient)
	if len(sessions) < 9 {
		t.Fatalf("README: got %d commands, want 9 or more", len(sessions))
	}
	c := &transcript{url: s.URL, dir: "../..", known: map[string]string{}}
	for _, session := range sessions {
		c.run(t, session)
	}
}

const readme = "../../README.md"

// isClient reports whether a command is one of the client's.
func isClient(s dialogue) bool { return strings.HasPrefix(s.command, "hush ") }

// standInReadme is the program that the README starts with two secrets.
const standInReadme = `#!/bin/sh
test "$API_KEY" = key-of-the-example &&
	echo "orders: starting with a password of ${#DB_PASSWORD} characters and an API key"
`

// A new user follows the README: shares a file and waits, opens it elsewhere, and
// starts a program with two secrets. The first terminal says that the file arrived.
func TestReadmeOfClient(t *testing.T) {
	t.Parallel()
	k := newShellKit(t)
	k.write(t, ".env", "DB_PASSWORD=correct horse\n")
	k.write(t, "api-key", "key-of-the-example\n")
	k.write(t, "orders", standInReadme)
	sessions := slices.DeleteFunc(consoleSessions(t, readme), func(s dialogue) bool { return !isClient(s) })
	if len(sessions) != 5 {
		t.Fatalf("README: got %d commands of the client, want 5", len(sessions))
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
