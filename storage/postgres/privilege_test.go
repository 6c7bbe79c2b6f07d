package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hush/storage/postgres"
)

// A node learns at its start which limit leaves it too few connections.
func TestRoomForConnections(t *testing.T) {
	server := need(t)
	admin := server.URL("postgres")
	mustExec(t, admin, `CREATE ROLE "poor role" LOGIN CONNECTION LIMIT 9; CREATE SCHEMA poor AUTHORIZATION "poor role"`)
	target := strings.Replace(admin, "user=hush", "user=poor%20role", 1)
	for conns, want := range map[int]string{
		8: "", // and one that listens
		9: "the role allows fewer connections to the database than this node may open: raise it with ALTER ROLE … CONNECTION LIMIT, or lower the number that nodes open: 9 of 10",
	} {
		var got string
		store, _, err := postgres.Open(t.Context(), target, postgres.Options{
			Schema: "poor", MaxConns: conns,
			Warn: func(text string, allowed, needed int) { got += fmt.Sprintf("%s: %d of %d", text, allowed, needed) },
		})
		if err != nil {
			t.Fatalf("Open(%d connections): got %v, want nil", conns, err)
		}
		_ = store.Close()
		if got != want {
			t.Errorf("Open(%d connections): got the warning %q, want %q", conns, got, want)
		}
	}
}

// TestPrivileges: a role that owns nothing but its schema is enough, and one that
// may not create it is told what to do.
func TestPrivileges(t *testing.T) {
	server := need(t)
	admin := server.URL("postgres")
	mustExec(t, admin, `CREATE ROLE "narrow role" LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
	target := strings.Replace(admin, "user=hush", "user=narrow%20role", 1)
	opts := postgres.Options{Schema: "narrow", OwnTables: []string{"epoch"}}
	refused := func(when string) {
		t.Helper()
		_, _, err := postgres.Open(t.Context(), target, opts)
		if !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), `ALTER SCHEMA "narrow" OWNER TO "narrow role"`) {
			t.Errorf("Open(%s): got %v, want it refused with what to do", when, err)
		}
	}
	refused("no schema")
	mustExec(t, admin, `CREATE SCHEMA narrow`)
	refused("schema of another")
	mustExec(t, admin, `ALTER SCHEMA narrow OWNER TO "narrow role"`)
	store, shares, err := postgres.Open(t.Context(), target, opts)
	if err != nil {
		t.Fatalf("Open(own schema): got %v, want nil", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	putIn(t, store, "epoch", "key", "value")
	wantIn(t, store, "epoch", "key", "value")
	slot, err := shares.Put(t.Context(), [32]byte{1})
	if err == nil {
		err = errors.Join(shares.Destroy(t.Context(), slot), shares.Destroy(t.Context(), slot))
	}
	if err != nil {
		t.Errorf("shares of the role: got %v, want nil", err)
	}
}
