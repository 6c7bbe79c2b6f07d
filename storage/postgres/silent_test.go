package postgres_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"hush/storage/postgres"
	"hush/testtier"
)

// A network loses a connection after the server let it in and before it answers
// the first statement, and tells no side. The attempt must end: otherwise each
// such connection takes one from the pool for good, and in the end the node
// serves nothing.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	testtier.Check(t, "waits for timeouts")
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listen.Close()
	go func() {
		for {
			conn, err := listen.Accept()
			if err != nil {
				return
			}
			go greet(conn)
		}
	}()
	opened := make(chan error, 1)
	go func() {
		_, _, err := postgres.Open(t.Context(), "postgres://hush@"+listen.Addr().String()+"/postgres?sslmode=disable", postgres.Options{
			ConnectTimeout: time.Second, StatementTimeout: time.Millisecond, LockTimeout: time.Millisecond, Patience: time.Millisecond,
		})
		opened <- err
	}()
	select {
	case err := <-opened:
		if !errors.Is(err, postgres.ErrUnavailable) {
			t.Errorf("Open(silent server): got %v, want %v", err, postgres.ErrUnavailable)
		}
	case <-time.After(time.Minute):
		t.Errorf("Open(silent server): got no end, want %v", postgres.ErrUnavailable)
	}
}

// The defect: the set-up of a connection to a slow server reached its limit
// between two statements, and callers got an error that no table knows.
func TestSlowServer(t *testing.T) {
	t.Parallel()
	store, _ := open(t, need(t), postgres.Options{Schema: schema(t)})
	if err := store.ConnectLate(t.Context()); !errors.Is(err, postgres.ErrUnavailable) {
		t.Errorf("ConnectLate(): got %v, want %v", err, postgres.ErrUnavailable)
	}
}

// greet lets a client in and answers nothing more.
func greet(conn net.Conn) {
	defer conn.Close()
	server := pgproto3.NewBackend(conn, conn)
	if _, err := server.ReceiveStartupMessage(); err != nil {
		return
	}
	server.Send(&pgproto3.AuthenticationOk{})
	server.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{1, 2, 3, 4}})
	server.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if server.Flush() == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
}
