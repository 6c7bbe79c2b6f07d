package connections_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"hush/connections"
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
	for name, c := range map[string]struct {
		workers int
		method  string
	}{"one": {1, http.MethodGet}, "twelve on a connection": {12, http.MethodGet}, "HEAD": {1, http.MethodHead}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			desk := newDesk(t, c.workers)
			transport := &http.Transport{Protocols: desk.Config.Protocols}
			t.Cleanup(transport.CloseIdleConnections)
			var all sync.WaitGroup
			for range c.workers {
				all.Go(func() { callOften(t, transport, c.method, desk.URL, 3000/c.workers) })
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

// An HTTP/2 request counts until its client has room for the answer, though its
// handler has returned.
func TestAnswersThatPendCount(t *testing.T) {
	t.Parallel()
	desk := newDesk(t, 1)
	framer := withoutRoom(t, desk.Listener.Addr().String())
	request := func(stream uint32) {
		t.Helper()
		var block bytes.Buffer
		encoder := hpack.NewEncoder(&block)
		for name, value := range map[string]string{":method": "GET", ":scheme": "http", ":path": "/", ":authority": "x"} {
			if err := encoder.WriteField(hpack.HeaderField{Name: name, Value: value}); err != nil {
				t.Fatal(err)
			}
		}
		if err := framer.WriteHeaders(http2.HeadersFrameParam{
			StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true,
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		stream uint32
		take   uint32 // the stream whose answer is taken before, if any
		want   string
	}{
		{"first", 1, 0, "200"},
		{"while an answer pends", 3, 0, "503"},
		{"after it was taken", 5, 1, "200"},
	} {
		if c.take != 0 {
			if err := framer.WriteWindowUpdate(c.take, 1<<10); err != nil {
				t.Fatal(err)
			}
			if err := ended(framer, c.take); err != nil {
				t.Fatalf("answer that is taken: got %v, want its end", err)
			}
		}
		request(c.stream)
		if got, err := status(framer, c.stream); err != nil || got != c.want {
			t.Errorf("request %s: got status %q and %v, want %s", c.name, got, err, c.want)
		}
	}
}

// withoutRoom connects with HTTP/2 and leaves no room for answers.
func withoutRoom(t *testing.T, addr string) *http2.Framer {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	if err := framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize}); err != nil {
		t.Fatal(err)
	}
	return framer
}

// status returns the status of a stream's answer, which is the next one.
func status(framer *http2.Framer, stream uint32) (string, error) {
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return "", err
		}
		if header, ok := frame.(*http2.MetaHeadersFrame); ok && header.StreamID == stream {
			return header.PseudoValue("status"), nil
		}
	}
}

// ended waits for the end of a stream's answer.
func ended(framer *http2.Framer, stream uint32) error {
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		if data, ok := frame.(*http2.DataFrame); ok && data.StreamID == stream && data.StreamEnded() {
			return nil
		}
	}
}
