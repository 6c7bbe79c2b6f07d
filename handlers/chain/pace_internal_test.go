package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hush/vault/caller"
)

// slowLine is a connection that carries so many bytes a second, each way. Writes return
// at once: HTTP/2 clients hold a lock meanwhile, and time in a bubble waits for none
// that waits for a lock.
type slowLine struct {
	net.Conn

	rate int
	sent chan []byte
	end  chan struct{}
	once sync.Once
}

const packet = 4 << 10

func newSlowLine(conn net.Conn, rate int) *slowLine {
	s := &slowLine{Conn: conn, rate: rate, sent: make(chan []byte, testMiB), end: make(chan struct{})}
	go s.carry()
	return s
}

func (s *slowLine) carry() {
	for {
		var sent []byte
		select {
		case sent = <-s.sent:
		case <-s.end:
			return
		}
		for piece := range slices.Chunk(sent, packet) {
			n, err := s.Conn.Write(piece)
			if err != nil {
				return
			}
			s.sleep(n)
		}
	}
}

func (s *slowLine) sleep(n int) { time.Sleep(time.Duration(n) * time.Second / time.Duration(s.rate)) }

func (s *slowLine) Read(into []byte) (int, error) {
	n, err := s.Conn.Read(into[:min(len(into), packet)])
	s.sleep(n)
	return n, err
}

func (s *slowLine) Write(b []byte) (int, error) {
	select {
	case s.sent <- bytes.Clone(b):
		return len(b), nil
	default:
		return 0, net.ErrClosed
	}
}

func (s *slowLine) Close() error {
	s.once.Do(func() { close(s.end) })
	return s.Conn.Close()
}

// paceServer serves in a bubble, with the fixed times of the service. It answers with
// the length of what it got, or with as many bytes as it is asked for.
type paceServer struct {
	*Pipes

	chain *Chain
	// told is how often the responses told that they were taken.
	told int
}

const (
	testMiB   = 1 << 20
	testEvery = 30 * time.Second
)

func newPaceServer(t *testing.T) *paceServer {
	t.Helper()
	_, c := newBubbleChain(t)
	s := &paceServer{chain: c}
	handler := c.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/part/") {
			servePart(w, r)
			return
		}
		got, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			http.Error(w, "broken", http.StatusBadRequest)
			return
		}
		if r.URL.Path == "/length" {
			_, _ = fmt.Fprint(w, got)
			return
		}
		WhileSending(r.Context(), testEvery, func() {
			s.told++
			if r.Context().Err() != nil {
				t.Errorf("context of a call whose response is taken: got %v, want no error", r.Context().Err())
			}
		})
		_, _ = w.Write(make([]byte, testMiB))
	}))
	s.Pipes = ServePipes(t, handler, func(server *http.Server) {
		server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = 15*time.Second, 30*time.Second, time.Minute
	})
	return s
}

// servePart takes a part of a file, or returns one.
func servePart(w http.ResponseWriter, r *http.Request) {
	recordFrom(r.Context()).part = true
	got, err := io.Copy(io.Discard, r.Body)
	if err == nil && r.URL.Path == "/part/get" {
		err = HoldPart(r.Context(), 8<<20)
	}
	switch {
	case err != nil:
		http.Error(w, "broken", http.StatusBadRequest)
	case r.URL.Path == "/part/get":
		_, _ = w.Write(make([]byte, 8<<20))
	default:
		_, _ = fmt.Fprint(w, got)
	}
}

// Over a line of 1 Mbit/s, two parts of a file arrive at the same time, each way.
func TestPartsOverSlowLines(t *testing.T) {
	t.Parallel()
	const rate = 125_000 / 2 // for each of them
	eachVersion(t, func(t *testing.T, http2 bool) {
		s := newPaceServer(t)
		both := func(do func(client *http.Client)) {
			var calls sync.WaitGroup
			for range 2 {
				calls.Go(func() { do(s.client(t, rate, http2)) })
			}
			calls.Wait()
		}
		both(func(client *http.Client) {
			sent, err := client.Post("http://hush.example/part/put", "text/plain", bytes.NewReader(make([]byte, 8<<20)))
			if err != nil {
				t.Errorf("Post(part): got %v, want no error", err)
				return
			}
			defer sent.Body.Close()
			got, err := io.ReadAll(sent.Body)
			if err != nil || string(got) != fmt.Sprint(8<<20) {
				t.Errorf("Post(part): got %q, %v, want all bytes", got, err)
			}
		})
		both(func(client *http.Client) {
			sent, err := client.Post("http://hush.example/part/get", "text/plain", bytes.NewReader([]byte("1")))
			if err != nil {
				t.Errorf("Post(fetch a part): got %v, want no error", err)
				return
			}
			defer sent.Body.Close()
			got, err := io.Copy(io.Discard, sent.Body)
			if err != nil || got != 8<<20 {
				t.Errorf("Post(fetch a part): got %d bytes, %v, want all", got, err)
			}
		})
		if held := s.chain.flight.parts.Held(); held != 0 {
			t.Errorf("bytes of parts that are held in the end: got %d, want none", held)
		}
	})
}

// The attack: peers fill what may be held of parts, and send and take theirs as slowly as
// everything else may be.
func TestSlowPartsKeepNobodyOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaceServer(t)
		s.chain.flight.parts.Take(caller.Network{}, networkParts/2+1)
		began := time.Now()
		res, err := s.client(t, 8000, false).Post("http://hush.example/part/put", "text/plain", bytes.NewReader(make([]byte, 8<<20)))
		arrived := err == nil && res.StatusCode == http.StatusOK
		if err == nil {
			defer res.Body.Close()
		}
		if took := time.Since(began); arrived || took > time.Minute {
			t.Errorf("Post(part, crowded, 8 KB/s): got %v after %v, want it cut", res, took)
		}
	})
}

// client returns a client with one line of a rate to the server.
func (s *paceServer) client(t *testing.T, rate int, http2 bool) *http.Client {
	t.Helper()
	transport := &http.Transport{MaxConnsPerHost: 1, Protocols: new(http.Protocols), DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := s.dial(ctx, "", "")
		if err != nil {
			return nil, err
		}
		return newSlowLine(conn, rate), nil
	}}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetUnencryptedHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// eachVersion runs a test in a bubble for HTTP/1.1 and for HTTP/2.
func eachVersion(t *testing.T, run func(t *testing.T, http2 bool)) {
	t.Helper()
	for name, http2 := range map[string]bool{"HTTP 1.1": false, "HTTP 2": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, http2) })
		})
	}
}

// A line of 8 KB/s takes two minutes for 1 MiB, each way. All of it arrives, and the
// connection serves on.
func TestSlowLines(t *testing.T) {
	t.Parallel()
	const rate = 8000
	eachVersion(t, func(t *testing.T, http2 bool) {
		s := newPaceServer(t)
		client := s.client(t, rate, http2)
		sent, err := client.Post("http://hush.example/length", "text/plain", bytes.NewReader(make([]byte, testMiB)))
		wantBody(t, "Post(1 MiB)", sent, err, []byte(fmt.Sprint(testMiB)))
		got, err := client.Get("http://hush.example/content")
		wantBody(t, "Get(1 MiB)", got, err, make([]byte, testMiB))
		if want := testMiB / rate / int(testEvery/time.Second); s.told != want && s.told != want-1 {
			t.Errorf("calls told that the response is taken: got %d, want %d or one less", s.told, want)
		}
		again, err := client.Post("http://hush.example/length", "text/plain", bytes.NewReader(make([]byte, 3)))
		wantBody(t, "Post(3 bytes, same connection)", again, err, []byte("3"))
	})
}

func wantBody(t *testing.T, what string, res *http.Response, err error, want []byte) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: got %v, want no error", what, err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s: got %d bytes, %v, want %d", what, len(got), err, len(want))
	}
}

// The attack: a peer holds a request open, with the bytes that it has sent. It sends
// nothing more, or too little.
func TestSlowSendersAreCut(t *testing.T) {
	t.Parallel()
	const (
		refusing = 3 * time.Second // the rest is drained, and the connection closed
		fixed    = 15*time.Second + refusing
		silent   = 20*time.Second + refusing
	)
	for name, c := range map[string]struct {
		first, then int
		every, most time.Duration
	}{
		"nothing":                     {0, 0, time.Hour, fixed},
		"a byte each second":          {0, 1, time.Second, fixed},
		"much, then nothing":          {512 << 10, 0, time.Hour, silent},
		"much, then a byte":           {512 << 10, 1, time.Second, silent},
		"much, then just in time":     {512 << 10, readStep, 19 * time.Second, 5 * time.Minute},
		"always a little too slowly":  {0, 3 << 10, time.Second, 2 * time.Minute},
		"a step at the last moment":   {0, readStep, 14 * time.Second, time.Minute},
		"a large beginning, then not": {100 << 10, 1 << 10, time.Second, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newPaceServer(t)
				conn := s.Dial(t)
				began := time.Now()
				cut := make(chan struct{})
				var sender sync.WaitGroup
				sender.Go(func() {
					_, err := fmt.Fprintf(conn, "POST /length HTTP/1.1\r\nHost: hush.example\r\nContent-Length: %d\r\n\r\n", 4<<20)
					for n := c.first; err == nil; n = c.then {
						_, err = conn.Write(make([]byte, n))
						select {
						case <-time.After(c.every):
						case <-cut:
							return
						}
					}
				})
				_, _ = io.Copy(io.Discard, conn)
				close(cut)
				sender.Wait()
				if took := time.Since(began); took > c.most {
					t.Errorf("slow sender: got cut after %v, want at most %v", took, c.most)
				}
			})
		})
	}
}

// The attack: a peer asks for a large response, and takes nothing of it, or too little.
func TestSlowReadersAreCut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, then int
		every, most time.Duration
	}{
		"nothing":             {0, 0, time.Hour, 31 * time.Second},
		"a byte each second":  {0, 1, time.Second, 31 * time.Second},
		"much, then nothing":  {512 << 10, 0, time.Hour, 21 * time.Second},
		"just in time":        {512 << 10, writeStep, 19 * time.Second, 5 * time.Minute},
		"always a little bit": {0, 3 << 10, time.Second, 3 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newPaceServer(t)
				conn := s.Dial(t)
				began := time.Now()
				if _, err := io.WriteString(conn, "GET /content HTTP/1.1\r\nHost: hush.example\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				taken := int64(0)
				for n := c.first; time.Since(began) < time.Hour; n = c.then {
					got, err := io.CopyN(io.Discard, conn, int64(n))
					if taken += got; err != nil {
						break
					}
					if c.then == 0 {
						time.Sleep(c.most)
						rest, _ := io.Copy(io.Discard, conn)
						taken += rest
						break
					}
					time.Sleep(c.every)
				}
				if took := time.Since(began); took > c.most || taken >= testMiB {
					t.Errorf("slow reader: got cut after %v with %d bytes, want at most %v and not all", took, taken, c.most)
				}
			})
		})
	}
}

// While bodies hold much, slow ones get no more than the fixed time.
func TestCrowdedBodiesAreCut(t *testing.T) {
	t.Parallel()
	for name, crowd := range map[string]func(*flight){
		"in all": func(f *flight) {
			for i := range byte(4) {
				f.creation.Take(caller.NetworkOf(netip.AddrFrom4([4]byte{192, 0, 2, i})), maxHeld/2/4+1)
			}
		},
		"of its own": func(f *flight) { f.creation.Take(caller.Network{}, networkHeld/2+1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachVersion(t, func(t *testing.T, http2 bool) {
				s := newPaceServer(t)
				crowd(s.chain.flight)
				began := time.Now()
				res, err := s.client(t, 8000, http2).Post("http://hush.example/length", "text/plain", bytes.NewReader(make([]byte, testMiB)))
				arrived := err == nil && res.StatusCode == http.StatusOK
				if err == nil {
					defer res.Body.Close()
				}
				if took := time.Since(began); arrived || took > time.Minute {
					t.Errorf("Post(1 MiB, crowded): got %v after %v, want it cut", res, took)
				}
			})
		})
	}
}

// Every writer around that of the server lets deadlines through.
func TestWritersUnwrap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPaceServer(t)
		mount := s.chain.plain("/", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			control := http.NewResponseController(w)
			if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
				t.Errorf("SetReadDeadline, SetWriteDeadline: got %v, want no error", err)
			}
		}))
		pipes := ServePipes(t, s.chain.Middleware(mount.Handler), nil)
		res, err := pipes.Client(t).Get("http://hush.example/")
		wantBody(t, "Get", res, err, nil)
	})
}
