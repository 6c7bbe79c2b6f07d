package hush_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	hushv1 "hush/gen/hush/v1"
	"hush/routes/apitest"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/vaulttest"
)

// gate is a network that lets connections through, or refuses them.
type gate struct {
	refusals atomic.Int64 // that are left
	refused  atomic.Int64
}

// http returns a client whose calls have a connection each, through the gate.
func (g *gate) http(n *apitest.Network) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if g.refusals.Add(-1) >= 0 {
			g.refused.Add(1)
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
		}
		return n.Dial(ctx, network, address)
	}}}
}

// The network fails between the look and the reveal. Nothing was sent, so nothing is
// lost: even a reveal without a claim may be tried again.
func TestNoConnectionForTheReveal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testNoConnectionForTheReveal)
}

func testNoConnectionForTheReveal(t *testing.T) {
	t.Helper()
	s := clienttest.StartOn(t, apitest.NewNetwork())
	d := startDouble(t, s, nil)
	g := &gate{}
	c := clientOn(t, s.Network, d.url, client.Options{HTTP: g.http(s.Network)})
	for name, claim := range map[string]client.Claim{"claim": client.NewClaim(), "plain": {}} {
		link := clienttest.MustShare(t, c, clienttest.Text("hunter2")).Link
		var refusals int64 = 3
		d.lie("GetSecret", func(d *double, w http.ResponseWriter, r *http.Request) {
			g.refusals.Store(refusals)
			d.next.ServeHTTP(w, r)
		})
		before := d.count("RevealSecret")
		opened, err := c.Open(t.Context(), link, client.Text{}, claim)
		clienttest.WantText(t, opened, err, "hunter2")
		if got := d.count("RevealSecret") - before; got != 1 || g.refused.Swap(0) != 3 {
			t.Errorf("Open, %s: got %d reveals, want one, after three refused connections", name, got)
		}
		link, refusals = clienttest.MustShare(t, c, clienttest.Text("hunter3")).Link, 1000
		c.ClaimsOf(100 * time.Millisecond)
		_, err = c.Open(t.Context(), link, client.Text{}, claim)
		clienttest.WantError(t, "Open without a connection, "+name, err, client.ErrNetwork)
		g.refusals.Store(0)
		d.lie("GetSecret", nil)
		opened, err = c.Open(t.Context(), link, client.Text{}, claim) // it waits
		clienttest.WantText(t, opened, err, "hunter3")
		g.refused.Store(0)
		c.ClaimsOf(client.ClaimTime)
	}
}

// A server takes a call and says nothing.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := clienttest.StartOn(t, apitest.NewNetwork())
		hang := func(_ *double, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		d := startDouble(t, s, map[string]lie{"GetPolicy": hang})
		hasty := s.Network.Transport()
		hasty.ResponseHeaderTimeout = 20 * time.Millisecond
		_, err := clientOf(t, d.url, client.Options{HTTP: &http.Client{Transport: hasty}}).Policy(t.Context())
		if got := clienttest.WantError(t, "Policy", err, client.ErrNetwork); !strings.Contains(got.Message, "in time") {
			t.Errorf("Policy: got %v, want that it took too long", got)
		}
	})
}

// A person leaves while a call waits for its repeat. The error says so.
func TestEndsWhileWaiting(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{Policy: caller.Policy{ChallengeAbove: 1}}, nil)
	shared := clienttest.MustShare(t, clientOf(t, s.URL, client.Options{}), clienttest.Text("hunter2"))
	away := says(http.StatusServiceUnavailable, "text/plain", "x")
	d := startDouble(t, s, map[string]lie{
		"GetMetadata": away, "BurnSecret": away, "RevealSecret": away, "AcknowledgeReveal": away, "WatchMetadata": away,
	})
	for name, run := range map[string]func(context.Context, *hush.Client) error{
		"Receipt": func(ctx context.Context, c *hush.Client) error {
			_, err := c.Receipt(ctx, shared.Receipt.Key)
			return err
		},
		"Burn": func(ctx context.Context, c *hush.Client) error {
			_, err := c.Burn(ctx, shared.Receipt.Key, client.Text{})
			return err
		},
		"Open": func(ctx context.Context, c *hush.Client) error {
			_, err := c.Open(ctx, shared.Link, client.Text{}, client.NewClaim())
			return err
		},
		"Acknowledge": func(ctx context.Context, c *hush.Client) error {
			return c.Acknowledge(ctx, shared.Link, client.NewClaim())
		},
		"Watch": func(ctx context.Context, c *hush.Client) (last error) {
			for _, err := range c.Watch(ctx, shared.Receipt.Key) {
				last = err
			}
			return last
		},
	} {
		ctx, leave := context.WithCancel(t.Context())
		c := clientOf(t, d.url, client.Options{Notice: func(error, time.Duration) { leave() }})
		c.Hurry(time.Hour, time.Hour)
		c.ClaimsOf(10 * time.Hour)
		err := run(ctx, c)
		if clienttest.WantError(t, name, err, client.ErrNetwork); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want its cause", name, err)
		}
		leave()
	}
	// The work that a server asks for is left, too.
	ctx, leave := context.WithCancel(t.Context())
	d.lie("AltchaChallenge", func(d *double, w http.ResponseWriter, r *http.Request) {
		altered(func(a *hushv1.AltchaChallengeResponse) {
			a.Challenge, a.MaxNumber = strings.Repeat("0", 64), 10_000_000
		})(d, w, r)
		time.AfterFunc(20*time.Millisecond, leave)
	})
	_, err := clientOf(t, d.url, client.Options{}).Share(ctx, clienttest.Text("hunter2"))
	if clienttest.WantError(t, "Share", err, client.ErrNetwork); !errors.Is(err, context.Canceled) {
		t.Errorf("Share: got %v, want its cause", err)
	}
}

// An answer is lost, and with it the word whether the link was mailed.
func TestLostAnswerWithRecipients(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{Send: func(context.Context, outbox.Mail) error { return errors.New("try again") }}, nil)
	d := startDouble(t, s, map[string]lie{"ConcealSecret": cut(true)})
	request := clienttest.Text("hunter2")
	request.Encryption, request.Recipients = client.EncryptionServer, []string{"eve@example.com"}
	c := clientOf(t, d.url, client.Options{Token: s.Token(t, caller.ScopesAll)})
	_, err := c.Share(t.Context(), request)
	if got := clienttest.WantError(t, "Share", err, client.ErrNetwork); !strings.Contains(got.Message, "mailed") {
		t.Errorf("Share: got %v, want a word about the mail", got)
	}
	d.lie("ConcealSecret", nil)
	shared := clienttest.MustShare(t, c, request)
	want := []client.Mail{{Recipient: "ev*****@e*****.com", State: "queued"}}
	if got := shared.Receipt; len(got.Mails) != 1 || got.Mails[0] != want[0] || len(got.Recipients) != 1 {
		t.Errorf("Share: got %+v, want %+v", got.Mails, want)
	}
	_, err = clientOf(t, s.URL, client.Options{}).Share(t.Context(), request)
	clienttest.WantError(t, "Share without an account", err, client.ErrUnauthorized)
}

// A server ends a stream although the secret waits, as a proxy does after a while.
func TestWatchGoesOnAfterAnEnd(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	d := startDouble(t, s, nil)
	c := clientOf(t, d.url, client.Options{})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	d.lie("WatchMetadata", first(3, func(_ *double, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/connect+proto")
		_, _ = w.Write([]byte("\x02\x00\x00\x00\x02{}")) // the end of a stream
	}))
	seen := follow(t.Context(), c, shared.Receipt.Key)
	wantSeen(t, seen, "waiting unknown 1")
	d.lie("WatchMetadata", first(1, refuses(connect.CodeResourceExhausted, "x", in(time.Millisecond))))
	if _, err := c.Burn(t.Context(), shared.Receipt.Key, client.Text{}); err != nil {
		t.Fatal(err)
	}
	wantSeen(t, seen, "burned unknown 2")
	wantEnd(t, seen)
}
