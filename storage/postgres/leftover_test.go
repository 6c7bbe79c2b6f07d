package postgres_test

import (
	"testing"

	"hush/storage/postgres"
)

// TestLeftOverSession: a proxy that pools sessions gives Hush one that its last
// client left as it was: with a temporary table named as one of Hush's, a
// prepared statement and settings. Nothing may be written to the table, which
// ends with the session.
func TestLeftOverSession(t *testing.T) {
	server := need(t)
	name := schema(t)
	first, _ := open(t, server, postgres.Options{Schema: name})
	putIn(t, first, "b", "key", "before")
	p := newPooler(t, server.URL("postgres"))
	p.keep = true
	p.leave = `SET search_path = "` + name + `"; CREATE TEMP TABLE record (LIKE "` + name + `".record);
		CREATE TEMP TABLE version AS TABLE "` + name + `".version; CREATE TEMP SEQUENCE slots; SELECT nextval('slots');
		PREPARE apply AS SELECT 1; SET synchronous_commit = off; SET enable_indexscan = off`
	store, _, err := postgres.Open(t.Context(), p.listen(t), postgres.Options{Schema: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	wantIn(t, store, "b", "key", "before")
	putIn(t, store, "b", "key", "after")
	wantIn(t, first, "b", "key", "after")
}

// A temporary table that appears in a session of the store hides nothing of it.
func TestTemporaryTable(t *testing.T) {
	server, name := need(t), schema(t)
	store, _ := open(t, server, postgres.Options{Schema: name})
	putIn(t, store, "b", "key", "before")
	if err := store.ExecInEach(t.Context(), `CREATE TEMP TABLE record (LIKE "`+name+`".record)`); err != nil {
		t.Fatal(err)
	}
	wantIn(t, store, "b", "key", "before")
	putIn(t, store, "b", "key", "after")
	other, _ := open(t, server, postgres.Options{Schema: name})
	wantIn(t, other, "b", "key", "after")
}
