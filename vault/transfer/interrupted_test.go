package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault/transfer"
	"hush/vault/vaulttest"
)

var errKilled = errors.New("killed")

// life ends at a write: before it, or after it was made. From then on nothing
// works, as in a killed process.
type life struct {
	mu     sync.Mutex
	writes int // left
	after  bool
	over   bool
}

// write makes a write, unless the life is over.
func (l *life) write(do func() error) error {
	l.mu.Lock()
	dead, last := l.over, l.writes == 0
	l.writes--
	l.over = dead || last
	l.mu.Unlock()
	if dead || last && !l.after {
		return errKilled
	}
	if err := do(); err != nil || !last {
		return err
	}
	return errKilled
}

func (l *life) read() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errKilled
	}
	return nil
}

// mortal returns a store whose operations belong to a life.
func (l *life) mortal(s transfer.Store) transfer.Store {
	return transfer.Store{Name: s.Name, Store: mortalStore{s.Store, l}, Shares: mortalShares{s.Shares, l}}
}

type mortalStore struct {
	storage.Store
	life *life
}

func (s mortalStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	if err := s.life.read(); err != nil {
		return err
	}
	return s.Store.View(ctx, fn)
}

func (s mortalStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.life.write(func() error { return s.Store.Update(ctx, fn) })
}

func (s mortalStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

type mortalShares struct {
	storage.Shares
	life *life
}

func (s mortalShares) Put(ctx context.Context, share [storage.ShareSize]byte) (slot storage.Slot, err error) {
	err = s.life.write(func() error {
		slot, err = s.Shares.Put(ctx, share)
		return err
	})
	return slot, err
}

func (s mortalShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) ([]storage.Slot, error) {
	return storage.PutEach(ctx, s, shares)
}

func (s mortalShares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	return s.life.write(func() error { return s.Shares.Destroy(ctx, slots...) })
}

// attempt copies with a life of some writes.
func (c *content) attempt(t *testing.T, from, to site, writes int, after bool) error {
	t.Helper()
	l := &life{writes: writes, after: after}
	source, closeSource := from.open(t)
	defer closeSource()
	target, closeTarget := to.open(t)
	defer closeTarget()
	_, err := transfer.Copy(t.Context(), options(l.mortal(source), l.mortal(target), c.root, c.clock))
	return err
}

// step is how many writes lie between two points of interruption: with -short only
// some are tried.
func step() int {
	if testing.Short() {
		return 5
	}
	return 1
}

// A copy is killed at each of its writes, before or after it. At no moment can
// both stores be served, and the same command finishes the copy: everything is
// there, once.
func TestCopyIsKilledAnywhere(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	k := folderSite(t, c.root).serve(t, c.clock, c.options(t))
	c.fill(t, k)
	k.Close(t)
	points := 0
	for _, after := range []bool{false, true} {
		for writes := 0; ; writes += step() {
			from := folderIn(k.CopyDir(t), c.root)
			to := keepingSite(t, c.root)
			err := c.attempt(t, from, to, writes, after)
			if err == nil {
				break
			}
			points++
			call := fmt.Sprintf("Copy(killed at write %d, after it: %v)", writes, after)
			vaulttest.WantErr(t, call, err, errKilled)
			if c.serveErr(t, from) == nil && c.serveErr(t, to) == nil {
				t.Fatalf("%s: got two stores that can be served, want one at most", call)
			}
			vaulttest.Want(t, call+", then again", c.attempt(t, from, to, 1<<30, false), nil)
			wantNotServed(t, c, from)
			c.wantReveals(t, to.serve(t, c.clock, c.options(t)))
		}
	}
	if points < 60/step() {
		t.Errorf("points of interruption: got %d, want %d", points, 60/step())
	}
}

// wantReveals opens the secrets of a copy.
func (c *content) wantReveals(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	for _, kept := range []seal.Token{c.plain.Secret.Key, c.burnable.Secret.Key, c.owned.Secret.Key} {
		vaulttest.Want(t, "RevealSecret(copied)", k.MustReveal(t, vaulttest.Caller(7), kept, ""), vaulttest.Plaintext)
	}
	vaulttest.Want(t, "rows of mails", len(vaulttest.RowsIn(t, k.Store, "outbox")), 2)
	k.Close(t)
}

// The attack: a copy into a folder is killed between the shares of a batch and
// the records that own them, and run again. The slots of the first attempt must
// not keep the shares: nothing would overwrite them when the secrets are opened.
func TestKilledCopyLeavesNoShares(t *testing.T) {
	t.Parallel()
	c := newContent(t)
	k := folderSite(t, c.root).serve(t, c.clock, c.options(t))
	c.fill(t, k)
	k.Close(t)
	orphans := 0
	for writes := 0; ; writes += step() {
		from, to := folderIn(k.CopyDir(t), c.root), folderSite(t, c.root)
		if c.attempt(t, from, to, writes, false) == nil {
			break
		}
		live, owned := sharesIn(t, to)
		orphans += live - owned
		vaulttest.Want(t, "Copy(again)", c.attempt(t, from, to, 1<<30, false), nil)
		live, owned = sharesIn(t, to)
		vaulttest.Want(t, "shares in the folder", live, owned)
		vaulttest.Want(t, "shares of rows", owned, 9)
	}
	if orphans == 0 {
		t.Error("shares of killed batches: got none, want some")
	}
}

// sharesIn returns how many shares a folder made by a copy has, and how many of
// its rows own one.
func sharesIn(t *testing.T, s site) (live, owned int) {
	t.Helper()
	opened, closed := s.open(t)
	defer closed()
	const growth = 64 // slots that a small file grows by in each run
	for n := range uint64(3 * growth) {
		if _, err := opened.Shares.Get(t.Context(), storage.Slot{Number: n, Generation: 1}); err == nil {
			live++
		}
	}
	for _, bucket := range []string{"secret", "claim", "outbox"} {
		owned += len(vaulttest.RowsIn(t, opened.Store, bucket))
	}
	return live, owned
}
