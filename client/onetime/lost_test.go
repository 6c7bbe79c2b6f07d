package onetime_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/otstest"
	"hush/routes/apitest"
)

// reveals counts the requests that reveal.
func reveals(f *foreign) (n int) {
	for _, call := range f.Calls() {
		if otstest.IsReveal(f.release, call.Method, call.Path) {
			n++
		}
	}
	return n
}

// A proxy cuts the answer of a reveal. What the client says of it must be exact: a
// secret that waits is not called lost, and one that is gone is not called waiting.
func TestOpenWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	const exception = `{"message":"An unexpected error occurred :[","success":false}`
	for name, test := range map[string]struct {
		do     otstest.Intercept
		v1, v2 *client.Error
	}{
		"cut before":            {otstest.CutBefore, client.ErrLost, client.ErrNetwork},
		"cut after":             {otstest.CutAfter, client.ErrLost, client.ErrLost},
		"cut within":            {otstest.CutWithin, client.ErrLost, client.ErrLost},
		"gateway before":        {otstest.Gateway(502, false), client.ErrLost, client.ErrNetwork},
		"gateway after":         {otstest.Gateway(504, true), client.ErrLost, client.ErrLost},
		"exception before":      {otstest.RepliesWith(500, exception, false), &client.Error{Kind: client.KindFailure}, &client.Error{Kind: client.KindFailure}},
		"exception after":       {otstest.RepliesWith(500, exception, true), &client.Error{Kind: client.KindFailure}, client.ErrLost},
		"page in place, after":  {otstest.Gateway(200, true), client.ErrProtocol, client.ErrLost},
		"page in place, before": {otstest.Gateway(200, false), client.ErrProtocol, client.ErrProtocol},
		"limit":                 {otstest.RepliesWith(429, `{"message":"slow"}`, false), client.ErrLimited, client.ErrLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
				var isOff atomic.Bool
				f := newForeign(t, protocol, otstest.Options{Release: release, Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
					return !isOff.Load() && otstest.OnReveal(test.do)(s, w, r)
				}}, client.Options{})
				shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
				_, err := f.Open(t.Context(), shared.Link, client.Text{}, client.NewClaim())
				want := test.v1
				if protocol == client.ProtocolV2 {
					want = test.v2
				}
				clienttest.WantError(t, "Open", err, want)
				wantSilent(t, err, shared)
				if n := reveals(f); n != 1 {
					t.Errorf("got %d reveals, want one: it must not be repeated", n)
				}
				isOff.Store(true)
				opened, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
				if strings.HasSuffix(name, "after") || strings.HasSuffix(name, "within") {
					clienttest.WantError(t, "Open again", err, client.ErrGone)
				} else {
					clienttest.WantText(t, opened, err, aCanary)
				}
			})
		})
	}
}

// wantSilent checks that an error shows nothing of a secret.
func wantSilent(t *testing.T, err error, shared client.Shared) {
	t.Helper()
	shown := fmt.Sprintf("%v %+v %#v", err, err, err)
	for what, hidden := range map[string]string{
		"text": aCanary, "passphrase": aPhrase, "key": shared.Link.Key.Expose(), "key of the receipt": shared.Receipt.Key.Expose(), "token": aToken,
	} {
		if hidden != "" && strings.Contains(shown, hidden) {
			t.Errorf("the error shows the %s: %s", what, shown)
		}
	}
}

// Where there is no connection, no server got the request, and the secret waits.
func TestOpenWithoutAConnection(t *testing.T) {
	t.Parallel()
	plain := otstest.Start(t, otstest.Options{})
	breaks := clienttest.Listen(t)
	t.Cleanup(func() { _ = breaks.Close() })
	go func() {
		for {
			conn, err := breaks.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	for name, server := range map[string]struct {
		base  string
		want  *client.Error
		again bool // the call is repeated
	}{
		"closed port":                   {"http://" + clienttest.Nowhere, client.ErrNetwork, true},
		"no TLS at the other end":       {strings.Replace(plain.URL, "http://", "https://", 1), client.ErrProtocol, false},
		"a connection cut before it is": {"https://" + breaks.Addr().String(), client.ErrNetwork, true},
	} {
		for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
			var seen heard
			c := clientOf(t, server.base, client.Options{Protocol: protocol, Notice: seen.note})
			link := client.Link{Server: server.base, Encryption: client.EncryptionServer, Key: client.Hide(strings.Repeat("k", 31)), Foreign: true}
			_, err := c.Open(t.Context(), link, client.Hide(aPhrase), client.Claim{})
			clienttest.WantError(t, name+": Open", err, server.want)
			wantSilent(t, err, client.Shared{Link: link})
			if again := len(seen.list()) > 0; again != server.again {
				t.Errorf("%s: got a notice that the call was repeated: %t, want %t", name, again, server.again)
			}
			_, err = c.Share(t.Context(), clienttest.Text(aCanary))
			clienttest.WantError(t, name+": Share", err, server.want)
			wantSilent(t, err, client.Shared{})
		}
	}
	if calls := plain.Calls(); len(calls) != 0 {
		t.Errorf("got the calls %v, want none", calls)
	}
}

// A call that its caller ended before it began was not sent. One that was ended
// later was.
func TestOpenEnded(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newForeign(t, protocol, otstest.Options{Release: release, Intercept: otstest.OnReveal(func(s *otstest.Server, _ http.ResponseWriter, r *http.Request) bool {
			s.Serve(httptest.NewRecorder(), r)
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client left
			cancel()
			<-r.Context().Done()
			return true
		})}, client.Options{})
		shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
		ended, end := context.WithCancel(t.Context())
		end()
		_, err := f.Open(ended, shared.Link, client.Text{}, client.Claim{})
		clienttest.WantError(t, "Open that was ended before", err, client.ErrNetwork)
		if reveals(f) != 0 {
			t.Fatalf("got %d reveals, want none", reveals(f))
		}
		_, err = f.Open(ctx, shared.Link, client.Text{}, client.Claim{})
		clienttest.WantError(t, "Open that was ended within", err, client.ErrLost)
	})
}

// A connection that was idle may be closed at the other end: a reveal over it would
// look like a lost answer.
func TestOpenHasItsOwnConnection(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		var mu sync.Mutex
		var last, reveal string
		f := newForeign(t, protocol, otstest.Options{Release: release, Intercept: func(_ *otstest.Server, _ http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if otstest.IsReveal(release, r.Method, r.URL.Path) {
				reveal = r.RemoteAddr
			} else {
				last = r.RemoteAddr
			}
			return false
		}}, client.Options{})
		shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
		if _, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{}); err != nil {
			t.Fatalf("Open: got %v, want no error", err)
		}
		if last == "" || reveal == "" || last == reveal {
			t.Errorf("got the connections %q and %q, want another for the reveal", last, reveal)
		}
	})
}

// Another transport than that of net/http says nothing of how far a request came.
func TestOpenOverAnotherTransport(t *testing.T) {
	t.Parallel()
	broken := roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.ErrClosedPipe })
	c := clientOf(t, "http://ots.example", client.Options{Protocol: client.ProtocolV1, HTTP: &http.Client{Transport: broken}})
	link := client.Link{Server: c.Server(), Encryption: client.EncryptionServer, Key: client.Hide(strings.Repeat("k", 31))}
	_, err := c.Open(t.Context(), link, client.Text{}, client.Claim{})
	clienttest.WantError(t, "Open", err, client.ErrLost)
	wantSilent(t, err, client.Shared{Link: link})
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("Open: got %v, want nothing of the answer", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A server that does not speak HTTP may repeat anything. Errors do not repeat it.
func TestAnswerThatIsNotHTTP(t *testing.T) {
	t.Parallel()
	n := apitest.NewNetwork()
	l := n.Listen()
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func(conn net.Conn) {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, strings.ReplaceAll(aCanary, " ", "_")+"\r\n\r\n")
			}(conn)
		}
	}()
	c := clientOf(t, "http://"+l.Addr().String(), client.Options{Protocol: client.ProtocolV1, HTTP: &http.Client{Transport: n.Transport()}})
	link := client.Link{Server: c.Server(), Encryption: client.EncryptionServer, Key: client.Hide(strings.Repeat("k", 31))}
	_, err := c.Open(t.Context(), link, client.Text{}, client.Claim{})
	clienttest.WantError(t, "Open", err, client.ErrLost)
	wantSilent(t, err, client.Shared{Link: link})
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("Open: got %v, want nothing of the answer", err)
	}
}

// A lost answer to a share leaves a secret without a link. Sharing again would leave
// two.
func TestShareWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		path := map[client.Protocol]string{client.ProtocolV1: "/share", client.ProtocolV2: "/conceal"}[protocol]
		f := newForeign(t, protocol, otstest.Options{Release: release, Intercept: otstest.On(http.MethodPost, path, otstest.CutAfter)}, client.Options{})
		_, err := f.Share(t.Context(), clienttest.Text(aCanary))
		clienttest.WantError(t, "Share", err, client.ErrNetwork)
		if n := len(f.Calls()); n != 1 {
			t.Errorf("got %d calls, want one", n)
		}
	})
}

// The oldest release leaves the key of a secret out of its answer. If the receipt,
// which has it, cannot be fetched, there is a secret without a link.
func TestShareWithoutItsKey(t *testing.T) {
	t.Parallel()
	f := newForeign(t, client.ProtocolV2, otstest.Options{Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/private/") && otstest.Gateway(502, false)(s, w, r)
	}}, client.Options{})
	_, err := f.Share(t.Context(), clienttest.Text(aCanary))
	if got := clienttest.WantError(t, "Share", err, client.ErrNetwork); !strings.Contains(got.Message, "waits until it expires") {
		t.Errorf("Share: got %q, want that a secret waits", got.Message)
	}
	if n := len(f.Calls()); n != 2+4 {
		t.Errorf("got %d calls, want two to share and four to fetch the receipt", n)
	}
}

// A lost answer to a burn can be made up for: the receipt says what became of it.
func TestBurnWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		for _, do := range []otstest.Intercept{otstest.CutAfter, otstest.CutBefore} {
			f := newForeign(t, protocol, otstest.Options{Release: release, Intercept: otstest.On(http.MethodPost, "/burn", do)}, client.Options{})
			shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
			receipt, err := f.Burn(t.Context(), shared.Receipt.Key, client.Text{})
			if f.Waiting() == 0 {
				if err != nil {
					t.Fatalf("Burn: got %v, want no error", err)
				}
				wantEnded(t, receipt, client.StateBurned)
				continue
			}
			clienttest.WantError(t, "Burn", err, client.ErrNetwork)
		}
	})
}
