package servertest

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/cli/command"
	"hush/storage/postgres/postgrestest"
)

// database is the PostgreSQL server of all tests that leave it running. It is
// started when first needed and ends with the tests.
var database struct {
	once   sync.Once
	server *postgrestest.Server
	err    error
	made   atomic.Int64
}

// NeedPostgres returns a PostgreSQL server that all tests of the package share, and skips t
// where there is none.
func NeedPostgres(t testing.TB) *postgrestest.Server {
	t.Helper()
	NeedStart(t)
	RunOnce(t, "has a PostgreSQL server of its own")
	database.once.Do(func() { database.server, database.err = postgrestest.Start() })
	if errors.Is(database.err, postgrestest.ErrMissing) {
		t.Skip("needs postgres: not installed")
	}
	if database.err != nil {
		t.Fatalf("postgrestest.Start: got %v, want a server", database.err)
	}
	return database.server
}

func stopPostgres() error {
	if database.server == nil {
		return nil
	}
	return database.server.Stop()
}

// NewDatabase makes an empty database and returns its URL.
func NewDatabase(t testing.TB) string {
	t.Helper()
	server := NeedPostgres(t)
	name := fmt.Sprintf("test%d", database.made.Add(1))
	ExecSQL(t, server.URL("postgres"), "CREATE DATABASE "+name)
	return server.URL(name)
}

// NodeKey writes a root key for several nodes.
func NodeKey(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "root.key")
	Call(t, nil, "", "admin", "keygen", path).Want(t, "admin keygen", command.ExitOK)
	return path
}

// DatabaseName returns the name in the address of a database.
func DatabaseName(t testing.TB, store string) string {
	t.Helper()
	u, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}

// ExecSQL runs statements on a server.
func ExecSQL(t testing.TB, target, sql string) {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), target)
	if err != nil {
		t.Fatalf("connecting: got %v, want nil", err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
		t.Fatalf("%s: got %v, want nil", sql, err)
	}
}
