package people_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"hush/cli/command"
	"hush/client"
	hushv1 "hush/gen/hush/v1"
	"hush/server/servertest"
)

// liar is a service that changes what it says of collections.
type liar struct {
	mu     sync.Mutex
	told   int
	change func(told int, c *hushv1.Collection)
}

// startLiar starts a service before another one. The collections that it tells are numbered
// from 0.
func startLiar(t *testing.T, to string, change func(told int, c *hushv1.Collection)) (*liar, string) {
	t.Helper()
	l, proxy := &liar{change: change}, proxyTo(t, to)
	proxy.ModifyResponse = l.pass
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	return l, front.URL
}

// lie changes what it says from now on.
func (l *liar) lie(change func(told int, c *hushv1.Collection)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told, l.change = 0, change
}

func (l *liar) tell(c *hushv1.Collection) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c == nil {
		return
	}
	if l.change != nil {
		l.change(l.told, c)
	}
	l.told++
}

// pass changes what the service says of collections, and nothing else.
func (l *liar) pass(answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return nil
	}
	switch path.Base(answer.Request.URL.Path) {
	case "GetCollection":
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		body = retold(l, body, new(hushv1.GetCollectionResponse))
		answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		answer.Header.Del("Content-Length")
	case "WatchCollection":
		from, to := io.Pipe()
		go l.stream(to, answer.Body)
		answer.Body = from
	}
	return nil
}

// retold returns a message as the liar tells it.
func retold(l *liar, body []byte, message interface {
	proto.Message
	GetCollection() *hushv1.Collection
},
) []byte {
	if proto.Unmarshal(body, message) != nil {
		return body
	}
	l.tell(message.GetCollection())
	changed, _ := proto.Marshal(message)
	return changed
}

// stream passes the messages of a stream on.
func (l *liar) stream(to *io.PipeWriter, from io.ReadCloser) {
	defer from.Close()
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(from, head); err != nil {
			_ = to.CloseWithError(err)
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(from, body); err != nil {
			_ = to.CloseWithError(err)
			return
		}
		if head[0] == 0 {
			body = retold(l, body, new(hushv1.WatchCollectionResponse))
		}
		binary.BigEndian.PutUint32(head[1:], uint32(len(body)))
		if _, err := to.Write(slices.Concat(head, body)); err != nil {
			return
		}
	}
}

// allOpened makes answers such as the service shows after they were opened for good.
func allOpened(_ int, c *hushv1.Collection) {
	for _, a := range c.GetAnswers() {
		a.State, a.SealedLink, a.SecretKey = hushv1.State_STATE_RECEIVED, nil, ""
	}
}

// A service says once that an answer is gone which an earlier run began to open. Its word
// does not take the claim away, and the next run gets the content.
func TestCollectKeepsAClaimOnAWord(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 1), servertest.NewRecipient(t)
	a.answerText(t, asked, "hello")
	l, front := startLiar(t, s.URL, nil)
	link := strings.Replace(asked.Collect.Expose(), s.URL, front, 1)
	c := r.Program(t, "-c", `exec "$@" >/dev/full`, "sh", r.Program(t).Path, "collect", r.KeepLink(t, link))
	c.Path = "/bin/sh"
	if said, err := c.CombinedOutput(); err == nil || !strings.Contains(string(said), "run it again within") {
		t.Fatalf("hush collect to a full disk: got %v and %q, want a promise", err, said)
	}
	l.lie(allOpened)
	servertest.Call(t, r.Environment(), link, "collect", "-").Want(t, "collect, told that it is gone", command.ExitGone)
	l.lie(nil)
	if got := servertest.Call(t, r.Environment(), link, "collect", "-").Want(t, "collect", command.ExitOK); got.Stdout != "hello" {
		t.Errorf("hush collect: got %q, want the answer", got.Stdout)
	}
}

// A service shows other places for the same answers each time. Each answer is opened once,
// and one that cannot be opened is tried once.
func TestCollectAllIsNotMovedByPlaces(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 3), servertest.NewRecipient(t)
	a.answer(t, asked.Link, client.Content{Bytes: []byte("locked")}, "quick otter")
	_, front := startLiar(t, s.URL, func(told int, c *hushv1.Collection) {
		switch {
		case told == 0: // the first answer alone
		case len(c.GetAnswers()) == 1:
			a.answerText(t, asked, "hello")
		default: // in the place of the first
			slices.Reverse(c.GetAnswers())
			c.GetRequest().State = hushv1.Request_STATE_CLOSED
		}
	})
	link := strings.Replace(asked.Collect.Expose(), s.URL, front, 1)
	got := servertest.Call(t, r.Environment(), link, "collect", "-", "--all", "--watch", "-o", r.Folder).
		Want(t, "collect --all --watch", command.ExitPassphrase, "the request is closed")
	if n := strings.Count(got.Stderr, "this secret has a passphrase"); n != 1 {
		t.Errorf("hush collect --all --watch: got %d tries to open the answer with a passphrase, want one; it wrote:\n%s", n, got.Stderr)
	}
	wantContent(t, filepath.Join(r.Folder, "secret"), "hello")
}

// A service says that the request link leads elsewhere. The list has it, with a warning.
func TestCollectWarnsOfTheHost(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about the client")
	s, a := startAsking(t)
	asked, r := a.ask(t, "Deploy key", 2), servertest.NewRecipient(t)
	a.answerText(t, asked, "one")
	a.answerText(t, asked, "two")
	l, front := startLiar(t, s.URL, func(_ int, c *hushv1.Collection) { c.Request.ShareDomain = "evil.example" })
	link := strings.Replace(asked.Collect.Expose(), s.URL, front, 1)
	const warning = "the link leads to evil.example, although the server is 127.0.0.1:"
	call := func(args ...string) servertest.Result {
		return servertest.Call(t, r.Environment(), link, append([]string{"collect", "-"}, args...)...)
	}
	call("--list").Want(t, "collect --list", command.ExitOK, warning)
	call("--list", "--json").Want(t, "collect --list --json", command.ExitOK, warning)
	call().Want(t, "collect of two", command.ExitUsage, warning)
	l.lie(nil)
	if got := call("--list").Want(t, "collect --list", command.ExitOK); strings.Contains(got.Stderr, "although") {
		t.Errorf("hush collect --list: got a warning for the host of the collect link:\n%s", got.Stderr)
	}
}
