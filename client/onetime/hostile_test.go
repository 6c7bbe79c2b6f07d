package onetime_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hush/client"
	"hush/client/clienttest"
	"hush/routes/apitest"
)

func startHandler(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s.URL
}

// The answer of a server begins, and drips for ever. A script must not hang on it.
func TestAnswersEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testAnswersEnd)
}

func testAnswersEnd(t *testing.T) {
	t.Helper()
	n := apitest.NewNetwork()
	s := &httptest.Server{Listener: n.Listen(), Config: &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		c := hurriedClient(t, s.URL, client.Options{Protocol: protocol, HTTP: &http.Client{Transport: n.Transport()}}, time.Millisecond, 50*time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := c.Open(ctx, clienttest.MustParseLink(t, s.URL+"/secret/"+clienttest.Key), client.Text{}, client.Claim{})
		if ctx.Err() != nil {
			t.Errorf("Open of an answer that drips, by %s: it never ended, want an error", protocol)
		}
		cancel()
		clienttest.WantError(t, "Open of an answer that drips, by "+protocol.String(), err, client.ErrLost)
	}
}

// A list of many million empty objects would take gigabytes of memory.
func TestListsAreShort(t *testing.T) {
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
			c := clientOf(t, url, client.Options{Protocol: protocol, Username: "a@b.example", Token: client.Hide("0123456789")})
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
				clienttest.WantError(t, "Receipts of "+protocol.String()+", too many", failed, client.ErrProtocol)
			}
		}
	}
}
