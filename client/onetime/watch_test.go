package onetime_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/otstest"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
		var states []client.State
		for receipt, err := range f.Watch(t.Context(), shared.Receipt.Key) {
			if err != nil {
				t.Fatalf("Watch: got %v, want no error", err)
			}
			states = append(states, receipt.State)
			if receipt.State == client.StateWaiting {
				if _, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{}); err != nil {
					t.Fatalf("Open: got %v, want no error", err)
				}
			}
		}
		if len(states) != 2 || states[0] != client.StateWaiting || states[1] != client.StateOpened {
			t.Errorf("Watch: got %v, want waiting and opened", states)
		}
	})
}

// Errors between two polls pass; each wait is longer than the one before.
func TestWatchGoesOn(t *testing.T) {
	t.Parallel()
	troubles := []otstest.Intercept{
		otstest.CutBefore, otstest.Gateway(502, false), otstest.RepliesWith(429, `{"message":"slow"}`, false), otstest.RepliesWith(404, `{"message":"Cripes! You have been rate limited."}`, false),
	}
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		var polls atomic.Int64
		var seen heard
		calm := make(chan struct{})
		f := newForeign(t, protocol, otstest.Options{Release: otstest.Release0205, Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/private/") || r.Method != http.MethodGet {
				return false
			}
			number := polls.Add(1) - 2
			if number == 17 {
				close(calm)
			}
			// A GET whose answer is lost is repeated within one poll.
			return number >= 0 && number < 16 && troubles[number/4](s, w, r)
		}}, client.Options{Notice: seen.note})
		shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
		var last client.Receipt
		shown := 0
		for receipt, err := range f.Watch(t.Context(), shared.Receipt.Key) {
			if err != nil {
				t.Fatalf("Watch: got %v, want no error", err)
			}
			shown++
			if last = receipt; receipt.State != client.StateWaiting {
				break
			}
			go func() {
				<-calm
				_, _ = f.Burn(context.WithoutCancel(t.Context()), shared.Receipt.Key, client.Text{})
			}()
		}
		if last.State != client.StateBurned || shown != 2 || len(seen.list()) < 10 {
			t.Errorf("Watch: got %d receipts, at last %v, and %d notices, want two, at last burned", shown, last.State, len(seen.list()))
		}
	}
}

// A wait after an error doubles.
func TestWatchBacksOff(t *testing.T) {
	t.Parallel()
	var seen heard
	var isOff atomic.Bool
	ctx, cancel := context.WithCancel(t.Context())
	f := newForeign(t, client.ProtocolV1, otstest.Options{Intercept: func(_ *otstest.Server, w http.ResponseWriter, _ *http.Request) bool {
		if !isOff.Load() {
			return false
		}
		if len(seen.list()) >= 3 {
			cancel()
		}
		return otstest.RepliesWith(404, `{"message":"Cripes! You have been rate limited."}`, false)(nil, w, nil)
	}}, client.Options{Notice: seen.note})
	shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
	var last error
	for _, err := range f.Watch(ctx, shared.Receipt.Key) {
		isOff.Store(true)
		last = err
	}
	clienttest.WantError(t, "Watch that was ended", last, client.ErrNetwork)
	waits := seen.list()
	if len(waits) < 3 || waits[1] <= waits[0] || waits[2] <= waits[1] {
		t.Errorf("Watch: got the waits %v, want each longer than the one before", waits)
	}
}

// A watch that its caller ended says so, not what the server answered just then.
func TestWatchEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	inner := otstest.New(otstest.Options{Intercept: otstest.RepliesWith(429, `{"message":"slow"}`, false)})
	over := roundTrip(func(r *http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		inner.ServeHTTP(answer, r)
		cancel()
		return answer.Result(), nil
	})
	c := clientOf(t, "http://ots.example", client.Options{Protocol: client.ProtocolV1, HTTP: &http.Client{Transport: over}})
	for _, err := range c.Watch(ctx, client.Hide(clienttest.Key)) {
		clienttest.WantError(t, "Watch", err, client.ErrNetwork)
	}
}

// What will not pass ends the watch, and so does trouble before the first receipt.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		for want, do := range map[*client.Error]otstest.Intercept{
			client.ErrGone:         otstest.RepliesWith(404, `{"secret_key":"k","message":"Unknown secret"}`, false),
			client.ErrUnauthorized: otstest.RepliesWith(404, `{"message":"Not authorized"}`, false),
			client.ErrLimited:      otstest.RepliesWith(429, `{"message":"slow"}`, false),
			client.ErrNetwork:      otstest.Gateway(503, false),
		} {
			f := newForeign(t, protocol, otstest.Options{Intercept: do}, client.Options{})
			count := 0
			for _, err := range f.Watch(t.Context(), client.Hide(clienttest.Key)) {
				clienttest.WantError(t, "Watch", err, want)
				count++
			}
			if count != 1 {
				t.Errorf("Watch: got %d results, want one error", count)
			}
		}
	}
}
