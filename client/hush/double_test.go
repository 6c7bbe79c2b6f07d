package hush_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"hush/client/clienttest"
	hushv1 "hush/gen/hush/v1"
)

// double stands in front of a server, or instead of one, and may lie. It keeps what
// it was sent.
type double struct {
	url  string
	next *httputil.ReverseProxy

	mu   sync.Mutex
	lies map[string]lie // by the name of the RPC
	seen map[string][][]byte
}

// lie answers a request instead of the server. It may ask it first.
type lie func(d *double, w http.ResponseWriter, r *http.Request)

func startDouble(t testing.TB, s *clienttest.Server, lies map[string]lie) *double {
	t.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if lies == nil {
		lies = map[string]lie{}
	}
	d := &double{lies: lies, seen: map[string][][]byte{}, next: httputil.NewSingleHostReverseProxy(to)}
	d.next.FlushInterval, d.next.ErrorLog = -1, slog.NewLogLogger(slog.DiscardHandler, 0)
	front := &httptest.Server{Listener: s.Listen(t), Config: &http.Server{Handler: d, ReadHeaderTimeout: time.Minute}}
	if s.Network != nil {
		d.next.Transport = s.Network.Transport()
	}
	front.Start()
	t.Cleanup(front.Close)
	d.url = front.URL
	return d
}

// ServeHTTP implements http.Handler.
func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	rpc := path.Base(r.URL.Path)
	d.mu.Lock()
	d.seen[rpc] = append(d.seen[rpc], body)
	told := d.lies[rpc]
	d.mu.Unlock()
	if told != nil {
		told(d, w, r)
		return
	}
	d.next.ServeHTTP(w, r)
}

// lie changes what the double says from now on.
func (d *double) lie(rpc string, told lie) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lies[rpc] = told
}

// count returns how many requests an RPC got.
func (d *double) count(rpc string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.seen[rpc])
}

// requests returns the requests of an RPC.
func requests[Q any, M interface {
	*Q
	proto.Message
}](t testing.TB, d *double, rpc string,
) []M {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []M
	for _, body := range d.seen[rpc] {
		request := M(new(Q))
		if err := proto.Unmarshal(body, request); err != nil {
			t.Fatal(err)
		}
		all = append(all, request)
	}
	return all
}

// ask returns the answer of the server.
func (d *double) ask(r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	d.next.ServeHTTP(answer, r)
	return answer
}

// altered passes an answer on with a change.
func altered[A any, M interface {
	*A
	proto.Message
}](change func(M)) lie {
	return func(d *double, w http.ResponseWriter, r *http.Request) {
		answer := d.ask(r)
		message := M(new(A))
		if answer.Code != http.StatusOK || proto.Unmarshal(answer.Body.Bytes(), message) != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes())
			return
		}
		change(message)
		body, _ := proto.Marshal(message)
		w.Header().Set("Content-Type", "application/proto")
		_, _ = w.Write(body)
	}
}

// cut closes the connection: if late, after the server did its work.
func cut(late bool) lie {
	return func(d *double, w http.ResponseWriter, r *http.Request) {
		if late {
			d.ask(r)
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
}

// first tells a lie for the first n requests, and the truth after that.
func first(n int, told lie) lie {
	var mu sync.Mutex
	return func(d *double, w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n--
		lies := n >= 0
		mu.Unlock()
		if lies {
			told(d, w, r)
			return
		}
		d.next.ServeHTTP(w, r)
	}
}

// says answers with a status, a media type and a body.
func says(status int, contentType, body string) lie {
	return func(_ *double, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "7")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// refuses answers with an error of the Connect protocol.
func refuses(code connect.Code, message string, details ...proto.Message) lie {
	return func(_ *double, w http.ResponseWriter, r *http.Request) {
		refusal := connect.NewError(code, errors.New(strings.ReplaceAll(message, "BODY", bodyOf(r))))
		for _, detail := range details {
			if made, err := connect.NewErrorDetail(detail); err == nil {
				refusal.AddDetail(made)
			}
		}
		_ = connect.NewErrorWriter().Write(w, r, refusal)
	}
}

// bodyOf returns the text fields of a request to open or to share, as a server that
// knows no shame repeats them.
func bodyOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	reveal, conceal := new(hushv1.RevealSecretRequest), new(hushv1.ConcealSecretRequest)
	if path.Base(r.URL.Path) == "ConcealSecret" {
		_ = proto.Unmarshal(body, conceal)
		return conceal.GetPassphrase() + " " + conceal.GetSecret()
	}
	_ = proto.Unmarshal(body, reveal)
	return reveal.GetPassphrase() + " " + reveal.GetSecretKey() + " " + r.Header.Get("Authorization")
}

// notices collects what a client says before it repeats a call.
type notices struct {
	mu  sync.Mutex
	all []error
	// each, unless it is nil, gets a value after each one.
	each chan struct{}
}

func (n *notices) add(err error, _ time.Duration) {
	n.mu.Lock()
	n.all = append(n.all, err)
	n.mu.Unlock()
	if n.each != nil {
		n.each <- struct{}{}
	}
}

func (n *notices) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.all)
}

// withoutDomain returns a request to share without its domain.
func withoutDomain(t testing.TB, r *http.Request) *http.Request {
	t.Helper()
	body, _ := io.ReadAll(r.Body)
	request := new(hushv1.ConcealSecretRequest)
	if err := proto.Unmarshal(body, request); err != nil {
		t.Fatal(err)
	}
	request.ShareDomain = ""
	body, _ = proto.Marshal(request)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}
