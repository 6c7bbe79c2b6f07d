package people_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hush/cli/command"
	"hush/client"
	"hush/server/servertest"
)

// opened collects the only answer of a request, and opens it.
func (a asker) opened(t *testing.T, asked client.Asked, passphrase string) client.Content {
	t.Helper()
	found, err := a.requests.Collect(t.Context(), asked.Collect)
	if err != nil || len(found.Answers) != 1 {
		t.Fatalf("Collect: got %d answers and %v, want one", len(found.Answers), err)
	}
	opened, err := a.Open(t.Context(), found.Answers[0].Link, client.Hide(passphrase), client.NewClaim())
	if err != nil {
		t.Fatalf("Open: got %v, want the answer", err)
	}
	return opened.Content
}

// lossyLine is a proxy that swallows the first answers of the service to an answer: each
// arrived there, and the connection breaks.
func lossyLine(t *testing.T, s *servertest.Server, losses int64) string {
	t.Helper()
	forward := proxyTo(t, s.URL)
	var calls atomic.Int64
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/AnswerRequest") || calls.Add(1) > losses {
			forward.ServeHTTP(w, r)
			return
		}
		forward.ServeHTTP(httptest.NewRecorder(), r)
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	}))
	t.Cleanup(line.Close)
	return line.URL
}

// The line swallows one acknowledgement after another, more of them than a call is repeated.
// The answer takes one place nevertheless, and its receipt arrives.
func TestAnswerOverALossyLine(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	link := strings.Replace(asked.Link.Expose(), s.URL, lossyLine(t, s, 5), 1)
	got := servertest.Call(t, r.Environment(), "hunter2", "answer", link).Want(t, "answer", command.ExitOK, "trying again", "receipt: http://")
	if n := strings.Count(got.Stderr, "receipt: "); n != 1 {
		t.Errorf("hush answer: got %d receipts, want one; it wrote:\n%s", n, got.Stderr)
	}
	if content := a.opened(t, asked, ""); string(content.Bytes) != "hunter2" {
		t.Errorf("Open: got %q, want what was sent", content.Bytes)
	}
}

// What a server says of who asks is shown, and no terminal obeys it.
func TestAnswerShowsWhoAsks(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	_, a := startAsking(t)
	asked, r := a.ask(t, "Do not click https://evil.example", 1), servertest.NewRecipient(t)
	got := servertest.Call(t, r.Environment(), "hunter2", "answer", asked.Link.Expose(), "--json").Want(t, "answer --json", command.ExitOK,
		"from     someone who sent you this link: the server does not know who", "request  “Do not click https://evil.example”")
	if !strings.HasPrefix(got.Stdout, `{"title":"Do not click https://evil.example","receipt":"http://`) {
		t.Errorf("hush answer --json: got %s, want an object", got.Stdout)
	}
}
