package people_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hush/client"
	"hush/server/servertest"
)

// collectTraces returns the traces of a request's links: their keys, and what no server
// knows.
func collectTraces(asked client.Asked) []string {
	var traces []string
	for _, link := range []string{asked.Link.Expose(), asked.Collect.Expose()} {
		_, fragment, _ := strings.Cut(link, "#")
		traces = append(traces, fragment[:31], fragment[31:])
	}
	return traces
}

// Another user of the machine looks at processes and files while an answer is collected.
func TestCollectLeavesNoTraces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	r := servertest.NewRecipient(t)
	const title, text, phrase = "canary of the title", "canary-of-the-content", "canary of the passphrase"
	asked := a.ask(t, title, 1)
	answered := a.answer(t, asked.Link, client.Content{Bytes: bytes.Repeat([]byte(text), 4000)}, phrase) // more than a pipe holds
	found, err := a.requests.Collect(t.Context(), asked.Collect)
	if err != nil || len(found.Answers) != 1 {
		t.Fatalf("Collect: got %v and %d answers, want one", err, len(found.Answers))
	}
	canaries := slices.Concat(collectTraces(asked), tracesOf(found.Answers[0].Link), []string{title, text, phrase})
	openingLeavesNoTraces(t, r, "collect", asked.Collect.Expose(), phrase, text, canaries)
	a.WantDelivered(t, answered)
}

// Another user of the machine looks while a run waits for a person, and while the program
// is at work. The collect link alone is on the disk, for its owner, until the program has
// the answer.
func TestRunOfARequestLeavesNoTraces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, a := startAsking(t)
	r := servertest.NewRecipient(t)
	const text = "canary-of-the-content"
	c := r.Program(t, "run", "--server="+s.URL, "--request", "A=Password of the database", "--", "/bin/sh", "-c", `printf '%s\n' "$A" | wc -c; read line`)
	c.Env = append(c.Env, "TMPDIR="+r.Folder)
	said := servertest.NewOutput()
	c.Stderr = said
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
	said.WaitFor(t, "waiting for an answer to “Password of the database”")
	link, err := client.ParseRequestLink(regexp.MustCompile(`http://\S+/q#\S+`).FindString(said.String()))
	if err != nil {
		t.Fatalf("hush run: got %v and %s, want the request link", err, said)
	}
	requests := filepath.Join(r.Home, ".local", "state", "hush", "requests")
	names := servertest.NamesIn(t, requests)
	if len(names) != 1 || !strings.HasPrefix(names[0], "A-") {
		t.Fatalf("files of requests: got %q, want one", names)
	}
	if info, err := os.Stat(filepath.Join(requests, names[0])); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file of the request: got %v, want it for its owner only", err)
	}
	kept, err := os.ReadFile(filepath.Join(requests, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	collect, err := client.ParseCollectLink(string(kept))
	if err != nil {
		t.Fatalf("file of the request: got %v, want the collect link", err)
	}
	traces := collectTraces(client.Asked{Link: link, Collect: collect})
	wantNoCanary(t, "messages", []byte(said.String()), traces[2:]...)
	wantNoCanary(t, "processes at work", allProcesses(t, 0, "TMPDIR="+r.Folder), traces...)
	answered := a.answer(t, link, client.Content{Bytes: []byte(text)}, "")
	lines := bufio.NewScanner(out)
	if !lines.Scan() || strings.TrimSpace(lines.Text()) != "22" {
		t.Errorf("program: got %q, want the length of the answer; hush wrote:\n%s", lines.Text(), said)
	}
	servertest.WaitUntil(t, "the acknowledgement", func() bool { return len(servertest.NamesIn(t, requests)) == 0 })
	wantNoCanary(t, "disk", slices.Concat(contentsOf(t, r.Home), contentsOf(t, r.Folder)), append(traces, text)...)
	wantNoCanary(t, "messages", []byte(said.String()), append(traces[2:], text)...)
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("hush run: got %v, want no error; it wrote:\n%s", err, said)
	}
	a.WantDelivered(t, answered)
}
