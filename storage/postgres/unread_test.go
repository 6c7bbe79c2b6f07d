package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage/postgres"
)

// A statement fails while a second one is under way on the same connection. The
// answer to the second must not be taken for that to the next request.
func TestUnreadAnswer(t *testing.T) {
	server, name := need(t), schema(t)
	store, _ := open(t, server, postgres.Options{Schema: name, LockTimeout: 100 * time.Millisecond, Patience: time.Minute})
	putIn(t, store, "b", "key", "value")
	admin, err := pgconn.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	run := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatalf("%s: got %v, want nil", sql, err)
		}
	}
	// No bucket can get its number, but numbers can be read.
	run(`BEGIN; LOCK TABLE "` + name + `".bucket IN EXCLUSIVE MODE`)
	committed := make(chan struct{})
	time.AfterFunc(500*time.Millisecond, func() { defer close(committed); run("COMMIT") })
	putIn(t, store, "new", "key", "other value")
	<-committed   // admin has one user at a time
	for range 8 { // whichever connection it is
		wantIn(t, store, "b", "key", "value")
		wantIn(t, store, "new", "key", "other value")
	}
}
