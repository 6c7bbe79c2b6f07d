package faulttest_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
)

// lateMemo holds the commits of a node that sets a memo until it says that the
// store is unavailable, so that nothing changed, and lets them go on.
func lateMemo(c *fleet) {
	c.t.Helper()
	// Only the memo is held: heartbeats would come first and end the others.
	c.kill(0)
	c.start(0, options{manual: true})
	n, other := c.nodes[0].Load(), c.nodes[1].Load()
	s := shelf{}
	s.conceal(c, n, newDice(1, 1))
	if len(s.inUse) == 0 {
		c.t.Fatal("ConcealSecret(): got nothing to set a memo of")
	}
	k := s.inUse[0]
	k.fetch(c, other) // is viewed from here on, so that a fetch changes nothing
	before := len(k.ops)
	n.proxy.HoldStatement("apply", 100)
	k.note(c, n)
	if len(k.ops) != before {
		c.t.Fatalf("UpdateMemo(commit held): got %+v, want that the store is unavailable", k.ops[before:])
	}
	letGo(c.t, n.proxy)
	k.fetch(c, other)
}

// lateRow does the same with a row, and lets the writer make another commit
// before, which removes what marked the one that was given up.
func lateRow(c *fleet) {
	c.t.Helper()
	proxy, err := postgrestest.StartProxy(server, c.dice.below)
	if err != nil {
		c.t.Fatal(err)
	}
	defer proxy.Close()
	store, _, err := postgres.Open(c.t.Context(), proxy.URL("postgres"), postgres.Options{
		Schema: c.schema, ConnectTimeout: time.Second, StatementTimeout: time.Second, LockTimeout: time.Second, Patience: 3 * time.Second,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	defer store.Close()
	put := func(key string) error {
		return store.Update(c.t.Context(), func(tx storage.Tx) error { return tx.Put("late", []byte(key), nil) })
	}
	if err := put("a"); err != nil { // makes the bucket
		c.t.Fatalf("Update(a): got %v, want nil", err)
	}
	proxy.HoldStatement("apply", 1)
	if err := put("b"); !errors.Is(err, storage.ErrUnavailable) {
		c.t.Fatalf("Update(b, commit held): got %v, want %v", err, storage.ErrUnavailable)
	}
	if err := put("c"); err != nil {
		c.t.Fatalf("Update(c): got %v, want nil", err)
	}
	letGo(c.t, proxy)
	err = store.View(c.t.Context(), func(tx storage.Tx) error {
		_, err := tx.Get("late", []byte("b"))
		return err
	})
	if !errors.Is(err, storage.ErrNotFound) {
		c.seen.wrongf("Get(b), which was given up: got %v, want %v", err, storage.ErrNotFound)
	}
}

// letGo lets held commits go on and waits for their end.
func letGo(t *testing.T, proxy *postgrestest.Proxy) {
	t.Helper()
	if proxy.Held() == 0 {
		t.Fatal("Held(): got no commit, want one")
	}
	proxy.Release()
	for until := time.Now().Add(time.Minute); proxy.Held() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("Release(): got commits that do not end, want none")
		}
	}
}
