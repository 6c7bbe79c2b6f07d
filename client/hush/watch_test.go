package hush_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	"hush/routes/apitest"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// follow watches in the background. Each receipt, and the error, goes to the
// channel, which closes at the end.
func follow(ctx context.Context, c *hush.Client, key client.Text) <-chan string {
	seen := make(chan string, 100)
	go func() {
		defer close(seen)
		for receipt, err := range c.Watch(ctx, key) {
			if err != nil {
				seen <- "error " + errorKind(err)
				continue
			}
			seen <- fmt.Sprint(receipt.State, " ", receipt.Delivery, " ", len(receipt.Events))
		}
	}()
	return seen
}

func errorKind(err error) string {
	for name, kind := range map[string]*client.Error{
		"gone": client.ErrGone, "network": client.ErrNetwork, "unauthorized": client.ErrUnauthorized, "limited": client.ErrLimited,
	} {
		if errors.Is(err, kind) {
			return name
		}
	}
	return err.Error()
}

// wantSeen checks what a watch shows next.
func wantSeen(t *testing.T, seen <-chan string, want ...string) {
	t.Helper()
	for _, want := range want {
		if got, ok := <-seen; !ok || got != want {
			t.Fatalf("Watch: got %q, %t, want %q", got, ok, want)
		}
	}
}

func wantEnd(t *testing.T, seen <-chan string) {
	t.Helper()
	if got, ok := <-seen; ok {
		t.Fatalf("Watch: got %q, want the end", got)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	for name, token := range map[string]client.Text{"anonymous": {}, "account": s.Token(t, caller.ScopesAll)} {
		c := clientOf(t, s.URL, client.Options{Token: token})
		reader := clientOf(t, s.URL, client.Options{})
		// opened with a claim
		shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
		seen := follow(t.Context(), c, shared.Receipt.Key)
		wantSeen(t, seen, "waiting unknown 1")
		claim := client.NewClaim()
		if _, err := reader.Open(t.Context(), shared.Link, client.Text{}, claim); err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got == "waiting unknown 2" { // the look may be shown by itself
			wantSeen(t, seen, "opened pending 3")
		}
		if err := reader.Acknowledge(t.Context(), shared.Link, claim); err != nil {
			t.Fatal(err)
		}
		wantSeen(t, seen, "opened delivered 4")
		wantEnd(t, seen)
		// opened without one
		shared = clienttest.MustShare(t, c, clienttest.Text("hunter2"))
		if _, err := reader.Open(t.Context(), shared.Link, client.Text{}, client.Claim{}); err != nil {
			t.Fatal(err)
		}
		seen = follow(t.Context(), c, shared.Receipt.Key)
		wantSeen(t, seen, "opened pending 3", "opened unknown 3")
		wantEnd(t, seen)
		// burned
		shared = clienttest.MustShare(t, c, clienttest.Text("hunter2"))
		seen = follow(t.Context(), c, shared.Receipt.Key)
		wantSeen(t, seen, "waiting unknown 1")
		if _, err := c.Burn(t.Context(), shared.Receipt.Key, client.Text{}); err != nil {
			t.Fatal(err)
		}
		wantSeen(t, seen, "burned unknown 2")
		wantEnd(t, seen)
		if name == "account" { // others do not see the timeline
			shared = clienttest.MustShare(t, c, clienttest.Text("hunter2"))
			seen = follow(t.Context(), reader, shared.Receipt.Key)
			wantSeen(t, seen, "waiting unknown 0")
			if _, err := reader.Open(t.Context(), shared.Link, client.Text{}, claim); err != nil {
				t.Fatal(err)
			}
			wantSeen(t, seen, "opened unknown 0")
			wantEnd(t, seen)
		}
	}
	wantSeen(t, follow(t.Context(), clientOf(t, s.URL, client.Options{}), client.Hide("0123456789abcdefghijklmnopqrstu")), "error gone")
}

// The server restarts while a receipt is followed. Nothing is missed, and nothing is
// shown twice.
func TestWatchAcrossARestart(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{Folder: true}, nil)
	l := startLine(t, s.Addr(), nil)
	said := &notices{each: make(chan struct{}, 1000)}
	c := clientOf(t, l.url, client.Options{Notice: said.add})
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	seen := follow(ctx, c, shared.Receipt.Key)
	wantSeen(t, seen, "waiting unknown 1")
	l.to(clienttest.Nowhere)
	s.Stop()
	s.Kit.Reopen(t)
	for range 3 { // it tries in vain
		<-said.each
	}
	s.Serve(t, clienttest.Listen(t))
	l.to(s.Addr())
	direct := clientOf(t, "http://"+s.Addr(), client.Options{})
	if _, err := direct.Burn(t.Context(), shared.Receipt.Key, client.Text{}); err != nil {
		t.Fatal(err)
	}
	wantSeen(t, seen, "burned unknown 2")
	wantEnd(t, seen)
}

// A connection is dead and says nothing, as after a laptop slept.
func TestWatchLeavesADeadConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testWatchLeavesADeadConnection)
}

func testWatchLeavesADeadConnection(t *testing.T) {
	t.Helper()
	s := clienttest.StartOn(t, apitest.NewNetwork())
	d := startDouble(t, s, nil)
	c := clientOn(t, s.Network, d.url, client.Options{})
	c.Hurry(time.Millisecond, 500*time.Millisecond)
	shared := clienttest.MustShare(t, c, clienttest.Text("hunter2"))
	d.lie("WatchMetadata", first(3, func(_ *double, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/connect+proto")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	ctx, leave := context.WithCancel(t.Context())
	seen := follow(ctx, c, shared.Receipt.Key)
	wantSeen(t, seen, "waiting unknown 1")
	time.Sleep(10 * time.Second)
	if got := d.count("WatchMetadata"); got < 6 { // the server's heartbeats are too rare for this client
		t.Errorf("Watch: got %d streams, want another one after each silence", got)
	}
	leave()
	wantSeen(t, seen, "error network")
	wantEnd(t, seen)
}

func TestWatchGivesUp(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	shared := clienttest.MustShare(t, clientOf(t, s.URL, client.Options{}), clienttest.Text("hunter2"))
	for name, c := range map[string]struct {
		told  lie
		want  string
		calls int
	}{
		"no connection":  {cut(false), "error network", 4},
		"unavailable":    {refuses(connect.CodeUnavailable, "x"), "error network", 4},
		"another server": {says(http.StatusNotFound, "text/html", "x"), "error this is not the answer of a Hush server: HTTP 404 Not Found", 1},
		"no right":       {refuses(connect.CodeUnauthenticated, "x"), "error unauthorized", 1},
		"too many":       {refuses(connect.CodeResourceExhausted, "x", in(time.Second)), "error limited", 1},
	} {
		d := startDouble(t, s, map[string]lie{"WatchMetadata": c.told})
		seen := follow(t.Context(), clientOf(t, d.url, client.Options{}), shared.Receipt.Key)
		wantSeen(t, seen, c.want)
		wantEnd(t, seen)
		if got := d.count("WatchMetadata"); got != c.calls {
			t.Errorf("Watch, %s: got %d calls, want %d", name, got, c.calls)
		}
	}
	// A reader that has enough leaves.
	var states []client.State
	for receipt, err := range clientOf(t, s.URL, client.Options{}).Watch(t.Context(), shared.Receipt.Key) {
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, receipt.State)
		break
	}
	if !slices.Equal(states, []client.State{client.StateWaiting}) {
		t.Errorf("Watch: got %v", states)
	}
}
