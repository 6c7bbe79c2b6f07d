package hush_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/hush"
	"hush/vault/vaulttest"
)

// line is a TCP proxy to one server at a time. It cuts connections at random points
// of the answers, if it has a source of random numbers.
type line struct {
	url  string
	cuts atomic.Int64

	listener net.Listener
	mu       sync.Mutex
	random   *rand.Rand // nil to cut nothing
	backend  string
	conns    map[net.Conn]bool
}

// startLine starts a proxy to the server at an address; empty for none yet.
func startLine(t testing.TB, backend string, random *rand.Rand) *line {
	t.Helper()
	l := &line{listener: clienttest.Listen(t), backend: backend, random: random, conns: map[net.Conn]bool{}}
	l.url = "http://" + l.listener.Addr().String()
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.to("")
	})
	go func() {
		for {
			conn, err := l.listener.Accept()
			if err != nil {
				return
			}
			go l.carry(conn)
		}
	}()
	return l
}

// to leads later connections to another server, and ends the open ones.
func (l *line) to(backend string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.backend = backend
	for conn := range l.conns {
		_ = conn.Close()
	}
}

// plan returns where a connection leads, and after how many bytes of answers it is
// cut; -1 for never.
func (l *line) plan(conn net.Conn) (backend string, after int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[conn] = true
	if l.random == nil || l.random.IntN(4) == 0 {
		return l.backend, -1
	}
	return l.backend, l.random.Int64N(1 << (1 + l.random.IntN(12)))
}

func (l *line) carry(near net.Conn) {
	backend, after := l.plan(near)
	defer near.Close()
	far, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer far.Close()
	go func() {
		_, _ = io.Copy(far, near)
		_ = far.(*net.TCPConn).CloseWrite()
	}()
	if after < 0 {
		_, _ = io.Copy(near, far)
		return
	}
	if n, _ := io.CopyN(near, far, after); n == after {
		l.cuts.Add(1)
		_ = near.(*net.TCPConn).SetLinger(0) // a reset, not an end
	}
}

// A line cuts most connections, anywhere in the answers. Every secret arrives, once,
// and each receipt says so.
func TestCutConnectionsLoseNothing(t *testing.T) {
	t.Parallel()
	s := clienttest.Start(t, vaulttest.Options{}, nil)
	direct := clientOf(t, s.URL, client.Options{})
	seeds := uint64(8)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			l := startLine(t, s.Addr(), rand.New(rand.NewPCG(seed, 15)))
			// Each call gets a connection of its own, which may be cut.
			cut := clientOf(t, l.url, client.Options{HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}})
			for i := range 6 {
				request := clienttest.Text("secret " + strconv.Itoa(i))
				if i%2 == 1 {
					request.Passphrase = client.Hide(aPassphrase)
				}
				if i%3 == 2 {
					request.Encryption = client.EncryptionServer
				}
				shared := clienttest.MustShare(t, direct, request)
				claim := client.NewClaim()
				opened, err := openThrough(t, cut, shared.Link, request.Passphrase, claim)
				clienttest.WantText(t, opened, err, string(request.Content.Bytes))
				for err = cut.Acknowledge(t.Context(), shared.Link, claim); errors.Is(err, client.ErrNetwork); {
					err = cut.Acknowledge(t.Context(), shared.Link, claim)
				}
				receipt, err := direct.Receipt(t.Context(), shared.Receipt.Key)
				if err != nil || receipt.Delivery != client.DeliveryConfirmed {
					t.Errorf("Receipt: got %v, %v, want it delivered", receipt.Delivery, err)
				}
			}
			if l.cuts.Load() == 0 {
				t.Error("the line cut nothing")
			}
		})
	}
}

// openThrough opens with one claim, again after each network error, as a program
// does that keeps the claim.
func openThrough(t *testing.T, c *hush.Client, link client.Link, passphrase client.Text, claim client.Claim) (opened client.Opened, err error) {
	t.Helper()
	for range 50 {
		if opened, err = c.Open(t.Context(), link, passphrase, claim); !errors.Is(err, client.ErrNetwork) {
			return opened, err
		}
	}
	return opened, err
}
