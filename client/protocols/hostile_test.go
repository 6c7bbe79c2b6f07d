package protocols_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hush/client"
	"hush/client/protocols"
)

func startHandler(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

// An attacker sends a link to a server of his own. Its reader asks that server what
// it speaks, and it answers with a list of many million numbers, which take gigabytes
// of memory.
func TestAnswersAreShortUntilTheServerIsKnown(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusNotFound, http.StatusServiceUnavailable} {
		var most atomic.Int64
		url := startHandler(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			sent := int64(0)
			_, err := fmt.Fprint(w, `{"message":[`)
			for chunk := []byte(strings.Repeat("0,", 1<<15)); err == nil && sent < 64<<20; sent += int64(len(chunk)) {
				_, err = w.Write(chunk)
			}
			most.Store(max(most.Load(), sent))
			_, _ = fmt.Fprint(w, "0]}")
		})
		if found, err := protocols.Detect(t.Context(), url, nil); err == nil {
			t.Errorf("Detect of a server that says %d at length: got %+v, want an error", status, found)
		}
		if got := most.Load(); got > 32<<20 { // what lies in buffers counts as sent
			t.Errorf("Detect of a server that says %d at length: it could send %d bytes, want few", status, got)
		}
	}
}

// A otstest.Gateway, or a server that lies, says that it is there again tomorrow. The command
// must not wait until then.
func TestServersDoNotSetThePause(t *testing.T) {
	t.Parallel()
	url := startHandler(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	key := client.Hide("0123456789abcdefghijklmnopqrstu")
	for _, protocol := range []client.Protocol{client.ProtocolHush, client.ProtocolV2, client.ProtocolV1} {
		for name, call := range map[string]func(context.Context, *client.Client) error{
			"Receipt": func(ctx context.Context, c *client.Client) error { _, err := c.Receipt(ctx, key); return err },
			"Burn": func(ctx context.Context, c *client.Client) error {
				_, err := c.Burn(ctx, key, client.Text{})
				return err
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			c, err := protocols.New(url, client.Options{Protocol: protocol, Notice: func(_ error, wait time.Duration) {
				if wait > time.Minute {
					t.Errorf("%s of %s: it waits for %s, want less than a minute", name, protocol, wait)
				}
				cancel()
			}})
			if err != nil {
				t.Fatal(err)
			}
			if err := call(ctx, c); err == nil {
				t.Errorf("%s of %s: got no error, want one", name, protocol)
			}
			cancel()
		}
	}
}
