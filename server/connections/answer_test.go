package connections_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"hush/server/connections"
)

// newDesk is a server of HTTP/2 in the clear that answers "hello" and lets one
// network have some requests at a time.
func newDesk(t *testing.T, requests int) *httptest.Server {
	t.Helper()
	desk := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	desk.Config.Protocols = new(http.Protocols)
	desk.Config.Protocols.SetUnencryptedHTTP2(true)
	listener := connections.NewListener(desk.Listener, connections.Limits{
		Total: 10, PerNetwork: 10, Requests: 100, RequestsPerNetwork: requests,
	})
	listener.Attach(desk.Config)
	desk.Listener = listener
	desk.Start()
	t.Cleanup(desk.Close)
	return desk
}

// A client that takes its answers and stays at its share is never refused.
func TestRequestsAtTheShare(t *testing.T) {
	t.Parallel()
	requests := 3000
	if testing.Short() {
		requests = 300
	}
	for name, c := range map[string]struct {
		workers int
		method  string
	}{"one": {1, http.MethodGet}, "twelve on a connection": {12, http.MethodGet}, "HEAD": {1, http.MethodHead}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			desk := newDesk(t, c.workers)
			transport := &http.Transport{Protocols: desk.Config.Protocols}
			t.Cleanup(transport.CloseIdleConnections)
			callOften(t, transport, c.method, desk.URL, 1) // or each worker dials
			var all sync.WaitGroup
			for range c.workers {
				all.Go(func() { callOften(t, transport, c.method, desk.URL, requests/c.workers) })
			}
			all.Wait()
		})
	}
}

// callOften sends one request after another until one fails.
func callOften(t *testing.T, transport *http.Transport, method, url string, times int) {
	t.Helper()
	for i := range times {
		req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
		if err != nil {
			t.Error(err)
			return
		}
		res, err := transport.RoundTrip(req)
		if err != nil {
			t.Errorf("request %d: got %v, want an answer", i, err)
			return
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("request %d: got status %d and %v, want it served", i, res.StatusCode, err)
			return
		}
	}
}
