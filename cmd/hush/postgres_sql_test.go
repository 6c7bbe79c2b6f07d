package main

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// execSQL runs statements on a server.
func execSQL(t testing.TB, target, sql string) {
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
