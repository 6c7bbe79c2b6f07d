package postgres_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
)

// copyDisk copies the disk of a server, which then goes on.
func copyDisk(t *testing.T, server *postgrestest.Server) postgrestest.Backup {
	t.Helper()
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	disk, err := server.CopyDisk("older")
	if err := errors.Join(err, server.Run()); err != nil {
		t.Fatal(err)
	}
	return disk
}

// setBack gives a server the older disk.
func setBack(t *testing.T, server *postgrestest.Server, disk postgrestest.Backup) {
	t.Helper()
	if err := errors.Join(server.Halt(), disk.SetBack(), server.Run()); err != nil {
		t.Fatal(err)
	}
}

// hasty is for nodes that are refused: they try again for that long.
func hasty() postgres.Options { return postgres.Options{Patience: 300 * time.Millisecond} }

// insist repeats what a hasty node does until the server has answered a connection.
func insist(do func() error) (err error) {
	for range 100 {
		if err = do(); !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, postgres.ErrRefused) {
			return err
		}
	}
	return err
}

// reconnect lets a hasty node find its server again.
func reconnect(t *testing.T, node *postgres.Store) {
	t.Helper()
	if err := insist(func() error { _, err := node.Now(t.Context()); return err }); err != nil {
		t.Fatal(err)
	}
}

// wantSetBack checks that a node refuses the database, whatever it is asked for.
func wantSetBack(t *testing.T, which string, node *postgres.Store) {
	t.Helper()
	for did, do := range map[string]func() error{
		"Update": func() error { return addOne(t.Context(), node, 0) },
		"View": func() error {
			return node.View(t.Context(), func(tx storage.Tx) error { _, err := tx.Get("b", []byte("key")); return err })
		},
		"Now": func() error { _, err := node.Now(t.Context()); return err },
	} {
		if err := insist(do); !errors.Is(err, postgres.ErrUnavailable) || !errors.Is(err, postgres.ErrRefused) || !strings.Contains(err.Error(), "set back") {
			t.Errorf("%s by a node that %s, on a database that was set back: got %v, want it refused", did, which, err)
		}
	}
}

func look(t *testing.T, node *postgres.Store, bucket string) {
	t.Helper()
	wantIn(t, node, bucket, "key", "")
}

func putShare(t *testing.T, shares *postgres.Shares, share byte) storage.Slot {
	t.Helper()
	slot, err := shares.Put(t.Context(), [storage.ShareSize]byte{share})
	if err != nil {
		t.Fatal(err)
	}
	return slot
}

// An administrator gives the database's machine an older disk, and lets the nodes
// live on. They hold what was true later: commits, numbers of buckets and shares, all
// of which are given again. What was kept is not mixed up with that, and nodes that
// start then serve.
func TestDiskSetBack(t *testing.T) {
	server := own(t)
	wrote, _ := open(t, server, hasty())
	read, _ := open(t, server, hasty())
	holder, held := open(t, server, postgres.Options{})
	for _, node := range []*postgres.Store{wrote, read, holder} {
		putIn(t, node, "b", "early", "there")
	}
	putShare(t, held, 1)
	disk := copyDisk(t, server)
	began, _ := open(t, server, hasty())
	reconnect(t, wrote)
	reconnect(t, read)
	for _, node := range []*postgres.Store{wrote, began} {
		putIn(t, node, "b", "late", "acknowledged")
	}
	look(t, read, "late bucket")
	lost := putShare(t, held, 2)
	setBack(t, server, disk)

	next, shares := open(t, server, postgres.Options{})
	putIn(t, next, "other bucket", "key", "of another bucket")
	var again storage.Slot
	for range 100 {
		if slot := putShare(t, shares, 3); slot.Number == lost.Number {
			again = slot
		}
	}
	if again.Number == 0 || again == lost {
		t.Errorf("Put after the database was set back: got %v for the number of %v, want another generation", again, lost)
	}
	wantSetBack(t, "wrote to it later", wrote)
	wantSetBack(t, "has read it later", read)
	wantSetBack(t, "began later", began)

	// What this node has seen is still there, but for the share.
	wantIn(t, holder, "b", "early", "there")
	wantNeeded(t, holder, lost, storage.ErrShareGone)
	wantNeeded(t, holder, putShare(t, held, 4), nil)
	if err := held.Destroy(t.Context(), lost); err != nil {
		t.Errorf("Destroy(%v) of a lost share: got %v, want nil", lost, err)
	}
	if got, err := shares.Get(t.Context(), again); err != nil || got[0] != 3 {
		t.Errorf("Get(%v), after Destroy(%v): got %x, %v, want the share", again, lost, got, err)
	}
	wantIn(t, next, "b", "late", "")
	wantIn(t, next, "other bucket", "key", "of another bucket")
}

// The newest disk comes back after all: the nodes serve again by themselves.
func TestDiskComesBack(t *testing.T) {
	server := own(t)
	node, _ := open(t, server, hasty())
	putIn(t, node, "b", "early", "there")
	older := copyDisk(t, server)
	reconnect(t, node)
	putIn(t, node, "b", "late", "acknowledged")
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	newest, err := server.CopyDisk("newest")
	if err := errors.Join(err, server.Run()); err != nil {
		t.Fatal(err)
	}
	setBack(t, server, older)
	wantSetBack(t, "wrote to it later", node)
	setBack(t, server, newest)
	reconnect(t, node)
	wantIn(t, node, "b", "late", "acknowledged")
	putIn(t, node, "b", "later", "stored")
}

// An update without its share fails alone: those that share its commit are made.
func TestMissingShareFailsOneUpdate(t *testing.T) {
	store, shares := open(t, need(t), postgres.Options{Schema: schema(t)})
	there, gone := putShare(t, shares, 1), putShare(t, shares, 2)
	if err := shares.Destroy(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	wrong := storage.Slot{Number: there.Number, Generation: there.Generation + 1}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { wantNeeded(t, store, there, nil) })
	}
	for _, slot := range []storage.Slot{gone, wrong, {}, {Number: 1 << 63, Generation: there.Generation}} {
		all.Go(func() { wantNeeded(t, store, slot, storage.ErrShareGone) })
	}
	all.Wait()
}
