package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hush/client"
)

const aForeignLink = "/secret/0123456789abcdefghijklmnopqrstu"

func startHandler(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

func mustParseLink(t testing.TB, text string) client.Link {
	t.Helper()
	link, err := client.ParseLink(text)
	if err != nil {
		t.Fatal(err)
	}
	return link
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
		if found, err := client.Detect(t.Context(), url, nil); err == nil {
			t.Errorf("Detect of a server that says %d at length: got %+v, want an error", status, found)
		}
		if got := most.Load(); got > 32<<20 { // what lies in buffers counts as sent
			t.Errorf("Detect of a server that says %d at length: it could send %d bytes, want few", status, got)
		}
	}
}

// A gateway, or a server that lies, says that it is there again tomorrow. The command
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
			c, err := client.New(url, client.Options{Protocol: protocol, Notice: func(_ error, wait time.Duration) {
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

// The answer of a server begins, and drips for ever. A script must not hang on it.
func TestLegacyAnswersEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testLegacyAnswersEnd)
}

func testLegacyAnswersEnd(t *testing.T) {
	t.Helper()
	n := newNetwork()
	s := &httptest.Server{Listener: n.listen(), Config: &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			_, _ = fmt.Fprint(w, " ")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
		}
	})}}
	s.Start()
	t.Cleanup(s.Close)
	for _, protocol := range []client.Protocol{client.ProtocolV2, client.ProtocolV1} {
		c := n.client(t, s.URL, client.Options{Protocol: protocol})
		c.Hurry(time.Millisecond, 50*time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := c.Open(ctx, mustParseLink(t, s.URL+aForeignLink), client.Text{}, client.Claim{})
		if ctx.Err() != nil {
			t.Errorf("Open of an answer that drips, by %s: it never ended, want an error", protocol)
		}
		cancel()
		wantError(t, "Open of an answer that drips, by "+protocol.String(), err, client.ErrLost)
	}
}

// A name that looks like an address of this machine is none.
func TestParseServerOfOtherMachines(t *testing.T) {
	t.Parallel()
	for server, want := range map[string]string{
		"127.0.0.1:80":         "http://127.0.0.1:80",
		"[::1]:80":             "http://[::1]:80",
		"localhost":            "http://localhost",
		"127.0.0.1.example":    "https://127.0.0.1.example",
		"127.hush.example:443": "https://127.hush.example:443",
	} {
		if got, err := client.ParseServer(server); err != nil || got.String() != want {
			t.Errorf("ParseServer(%s): got %v, %v, want %s", server, got, err, want)
		}
	}
}

// A list of many million empty objects would take gigabytes of memory.
func TestLegacyListsAreShort(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdefghijklmnopqrstu"
	for protocol, frame := range map[client.Protocol][2]string{
		client.ProtocolV1: {`[{"metadata_key":"` + key + `"}`, "]"}, client.ProtocolV2: {`{"records":[{"key":"` + key + `"}`, "]}"},
	} {
		for count, isShort := range map[int]bool{1000: true, 3 << 20: false} {
			url := startHandler(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprint(w, frame[0]+strings.Repeat(",{}", count)+frame[1])
			})
			c, err := client.New(url, client.Options{Protocol: protocol, Username: "a@b.example", Token: client.Hide("0123456789")})
			if err != nil {
				t.Fatal(err)
			}
			listed := 0
			var failed error
			for _, err := range c.Receipts(t.Context()) {
				if failed = err; err == nil {
					listed++
				}
			}
			if isShort && (listed != 1 || failed != nil) {
				t.Errorf("Receipts of %s, %d empty ones: got %d and %v, want 1", protocol, count, listed, failed)
			}
			if !isShort {
				wantError(t, "Receipts of "+protocol.String()+", too many", failed, client.ErrProtocol)
			}
		}
	}
}
