package people_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
)

// asker asks at a service, and answers what was asked.
type asker struct {
	servertest.Sharer

	requests client.Requests
}

// startAsking starts a service that lets everyone ask.
func startAsking(t *testing.T) (*servertest.Server, asker) {
	t.Helper()
	s := servertest.Start(t, "--requests=anyone", "--rate-limits=off")
	a := asker{Sharer: servertest.NewSharer(t, s.URL)}
	var err error
	if a.requests, err = a.Requests(); err != nil {
		t.Fatalf("Requests: got %v, want them", err)
	}
	return s, a
}

// ask makes a request for that many answers.
func (a asker) ask(t *testing.T, title string, answers int) client.Asked {
	t.Helper()
	asked, err := a.requests.Ask(t.Context(), client.AskRequest{Title: title, TTL: time.Hour, Answers: answers})
	if err != nil {
		t.Fatalf("Ask: got %v, want two links", err)
	}
	return asked
}

// answer answers a request. What it returns is followed as what is shared.
func (a asker) answer(t *testing.T, link client.RequestLink, content client.Content, passphrase string) client.Shared {
	t.Helper()
	question, err := a.requests.Request(t.Context(), link)
	if err != nil {
		t.Fatalf("Request: got %v, want a question", err)
	}
	sealed, err := a.requests.SealAnswer(question, content, client.Hide(passphrase))
	if err != nil {
		t.Fatalf("SealAnswer: got %v, want an answer", err)
	}
	answered, err := a.requests.Answer(t.Context(), sealed)
	if err != nil {
		t.Fatalf("Answer: got %v, want a receipt", err)
	}
	return client.Shared{Receipt: answered.Receipt}
}

func (a asker) answerText(t *testing.T, asked client.Asked, text string) client.Shared {
	t.Helper()
	return a.answer(t, asked.Link, client.Content{Bytes: []byte(text)}, "")
}

// A requester lists the answers, and opens each in its own way.
func TestCollect(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	r := servertest.NewRecipient(t)
	asked := a.ask(t, "Deploy key", 4)
	call := func(args ...string) servertest.Result {
		return servertest.Call(t, r.Environment(), asked.Collect.Expose(), append([]string{"collect", "-"}, args...)...)
	}
	call().Want(t, "collect before the first answer", command.ExitNotYet, "no answer waits: the request is open, no answer yet; ends in 59 minutes")
	first := a.answerText(t, asked, "hello\n")
	if got := call().Want(t, "collect", command.ExitOK, "answer 1: opening a secret of http://"); got.Stdout != "hello\n" {
		t.Errorf("hush collect: got %q, want the answer", got.Stdout)
	}
	a.WantDelivered(t, first)
	call("--answer=1").Want(t, "collect again", command.ExitGone, "answer 1 cannot be opened here: it was opened", "has the content")
	file := a.answer(t, asked.Link, client.Content{Bytes: []byte("A=1\n"), IsFile: true, FileName: ".env"}, "")
	locked := a.answer(t, asked.Link, client.Content{Bytes: []byte("locked")}, "quick otter")
	call().Want(t, "collect of two", command.ExitUsage, "2 answers wait: choose one with --answer, or open them all with --all and a folder")
	list := call("--list").Want(t, "collect --list", command.ExitOK)
	for _, want := range []string{"request  “Deploy key”", "state    open, 3 of 4 answers came; ends in", asked.Link.Expose(), "1       delivered  ", "2       waiting    ", ".env", "yes"} {
		if !strings.Contains(list.Stdout, want) {
			t.Errorf("hush collect --list: got\n%s\nwant %q in it", list.Stdout, want)
		}
	}
	call("--all", "-o", r.Folder).Want(t, "collect --all", command.ExitPassphrase, "answer 3: this secret has a passphrase")
	a.WantDelivered(t, file)
	wantContent(t, filepath.Join(r.Folder, ".env"), "A=1\n")
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("quick otter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := call("--all", "--json", "--passphrase-file", key).Want(t, "collect --all --json", command.ExitOK); !strings.HasPrefix(got.Stdout, `{"answer":3,"kind":"text","size":6,`) {
		t.Errorf("hush collect --all --json: got %s, want the third answer", got.Stdout)
	}
	a.WantDelivered(t, locked)
	burned := a.answerText(t, asked, "never read")
	call("--burn=4", "--yes").Want(t, "collect --burn", command.ExitOK, "burned answer 4")
	if got, err := a.Receipt(t.Context(), burned.Receipt.Key); err != nil || got.State != client.StateBurned {
		t.Errorf("receipt: got %v and %s, want it burned", err, got.State)
	}
	call("--burn=4", "--yes").Want(t, "collect --burn again", command.ExitGone, "nothing to burn: answer 4 is gone: it was burned")
	call().Want(t, "collect at the end", command.ExitGone, "no answer waits, and none will come: the request is full, 4 of 4 answers came")
	if waiting := r.Claims(t); len(waiting) > 0 {
		t.Errorf("claims: got %q, want none", waiting)
	}
}

// Several devices with the collect link collect at the same moment. One of them has the
// answer.
func TestCollectOnSeveralDevices(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked := a.ask(t, "Deploy key", 1)
	answered := a.answerText(t, asked, "hello")
	const devices = 6
	results := make(chan servertest.Result, devices)
	for range devices {
		r := servertest.NewRecipient(t)
		go func() { results <- servertest.Call(t, r.Environment(), asked.Collect.Expose(), "collect", "-") }()
	}
	opened := 0
	for range devices {
		switch got := <-results; {
		case got.Code == command.ExitOK && got.Stdout == "hello":
			opened++
		case got.Code != command.ExitGone || got.Stdout != "":
			t.Errorf("hush collect: got exit code %d and %q, want the answer or %d; it wrote:\n%s", got.Code, got.Stdout, command.ExitGone, got.Stderr)
		}
	}
	if opened != 1 {
		t.Errorf("hush collect on %d devices: got the answer %d times, want once", devices, opened)
	}
	a.WantDelivered(t, answered)
}

// A supervisor starts the program with standard output closed. The answer waits.
func TestCollectWithClosedOutput(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	a.answerText(t, asked, "hello")
	c := r.Program(t, "-c", `exec "$@" >&-`, "sh", os.Args[0], "collect", r.KeepLink(t, asked.Collect.Expose()))
	c.Path = "/bin/sh"
	said, _ := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); code != command.ExitUsage || !strings.Contains(string(said), "standard output is closed") {
		t.Errorf("hush collect without standard output: got exit code %d and %q, want %d and the reason", code, said, command.ExitUsage)
	}
	found, err := a.requests.Collect(t.Context(), asked.Collect)
	if err != nil || found.Request.Waiting != 1 {
		t.Errorf("Collect: got %v and %d answers that wait, want one", err, found.Request.Waiting)
	}
}
