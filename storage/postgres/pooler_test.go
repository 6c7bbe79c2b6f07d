package postgres_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"hush/storage/postgres"
)

// pooler pools transactions: each transaction of a client gets a free session of
// the server.
type pooler struct {
	dir    string
	server string
	oldest bool   // give out the session that was free for longest, not the last one
	keep   bool   // each client keeps a session of its own
	leave  string // what an earlier client did in each session
	mu     sync.Mutex
	free   []*pgconn.HijackedConn

	// reset: the session that listens is reset once, amid its use.
	reset  atomic.Bool
	resets atomic.Int64
}

func newPooler(t *testing.T, serverURL string) *pooler {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hush-pool-") //nolint:usetesting // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	return &pooler{dir: dir, server: serverURL}
}

// startPooler starts a pooler with some sessions and returns its address.
func startPooler(t *testing.T, serverURL string, sessions int, oldest bool) string {
	t.Helper()
	p := newPooler(t, serverURL)
	p.oldest = oldest
	for range sessions {
		session, err := p.session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Conn.Close() })
		p.free = append(p.free, session)
	}
	return p.listen(t)
}

func (p *pooler) session(ctx context.Context) (*pgconn.HijackedConn, error) {
	pg, err := pgconn.Connect(ctx, p.server)
	if err != nil {
		return nil, err
	}
	if _, err := pg.Exec(ctx, p.leave).ReadAll(); err != nil {
		return nil, err
	}
	return pg.Hijack()
}

// listen serves clients until the end of the test, and returns the address.
func (p *pooler) listen(t *testing.T) string {
	t.Helper()
	dir := p.dir
	listen, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listen.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer client.Close()
				p.serve(client)
			})
		}
	})
	t.Cleanup(func() {
		_ = listen.Close()
		all.Wait()
		_ = os.RemoveAll(dir)
	})
	return "postgres:///postgres?" + url.Values{"host": {dir}, "user": {"hush"}, "sslmode": {"disable"}}.Encode()
}

func (p *pooler) take() *pgconn.HijackedConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := len(p.free) - 1
	if p.oldest {
		at = 0
	}
	session := p.free[at]
	p.free = slices.Delete(p.free, at, at+1)
	return session
}

func (p *pooler) give(session *pgconn.HijackedConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, session)
}

func (p *pooler) serve(client net.Conn) {
	backend := pgproto3.NewBackend(client, client)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if backend.Flush() != nil {
		return
	}
	if !p.keep {
		for p.transaction(backend, nil) {
		}
		return
	}
	own, err := p.session(context.Background())
	if err != nil {
		return
	}
	defer own.Conn.Close()
	for p.transaction(backend, own) {
	}
}

// transaction carries one transaction, and reports whether the client goes on.
func (p *pooler) transaction(backend *pgproto3.Backend, own *pgconn.HijackedConn) bool {
	msg, err := backend.Receive()
	if err != nil {
		return false
	}
	session := own
	if own == nil {
		session = p.take()
		defer p.give(session)
	}
	if bind, ok := msg.(*pgproto3.Bind); ok && bind.PreparedStatement == "notify" && p.reset.Swap(false) {
		p.resets.Add(1)
		session.Frontend.Send(&pgproto3.Query{String: "UNLISTEN *"})
		if _, err := relay(session.Frontend, pgproto3.NewBackend(strings.NewReader(""), io.Discard)); err != nil {
			return false
		}
	}
	for {
		switch msg.(type) {
		case *pgproto3.Terminate:
			return false
		case *pgproto3.Query, *pgproto3.Sync:
			session.Frontend.Send(msg)
			status, err := relay(session.Frontend, backend)
			if err != nil {
				return false
			}
			if status == 'I' {
				return true
			}
		default:
			session.Frontend.Send(msg)
		}
		if msg, err = backend.Receive(); err != nil {
			return false
		}
	}
}

// relay carries one answer and returns the state of the transaction after it.
func relay(from *pgproto3.Frontend, to *pgproto3.Backend) (byte, error) {
	if err := from.Flush(); err != nil {
		return 0, err
	}
	for {
		msg, err := from.Receive()
		if err != nil {
			return 0, err
		}
		to.Send(msg)
		if err := to.Flush(); err != nil {
			return 0, err
		}
		if ready, ok := msg.(*pgproto3.ReadyForQuery); ok {
			return ready.TxStatus, nil
		}
	}
}

func TestOpenRefusesTransactionPooling(t *testing.T) {
	server := need(t)
	for _, sessions := range []int{2, 3, 8} {
		for _, oldest := range []bool{false, true} {
			target := startPooler(t, server.URL("postgres"), sessions, oldest)
			_, _, err := postgres.Open(t.Context(), target, postgres.Options{Schema: schema(t)})
			if !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), "proxy") {
				t.Errorf("Open(proxy with %d sessions, oldest first %v): got %v, want it refused", sessions, oldest, err)
			}
		}
	}
}
