package rootkey_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/keylist"
	"hush/vault/vaulttest"
)

var errPower = errors.New("the power failed")

// plug pulls the power at one step of what needs several to be durable: before it, or
// once it is durable. Nothing works any more then. A nil plug does nothing.
type plug struct {
	mu    sync.Mutex
	steps []string // that were begun while the plug was armed
	at    int      // the step at which the power fails, from 1; 0 for none
	after bool
	armed bool
	out   bool
}

func (p *plug) step(name string, do func() error) error {
	if p == nil {
		return do()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out {
		return errPower
	}
	if !p.armed {
		return do()
	}
	p.steps = append(p.steps, name)
	last := len(p.steps) == p.at
	if p.out = last; last && !p.after {
		return errPower
	}
	if err := do(); err != nil || !last {
		return err
	}
	return errPower
}

// arm counts the steps of fn, and reports whether the power failed meanwhile.
func (p *plug) arm(fn func() error) (failed bool, err error) {
	before := p.set(true)
	err = fn()
	return p.set(false) && !before, err
}

func (p *plug) set(armed bool) (out bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = armed
	return p.out
}

// pluggedStore is a store that works as long as its plug is in.
type pluggedStore struct {
	storage.Store
	plug *plug
}

func (s pluggedStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	s.plug.mu.Lock()
	out := s.plug.out
	s.plug.mu.Unlock()
	if out {
		return errPower
	}
	return s.Store.View(ctx, fn)
}

func (s pluggedStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.plug.step("store", func() error { return s.Store.Update(ctx, fn) })
}

func (s pluggedStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.Update(ctx, fn)
}

// The power fails at each step of a rotation and of a retirement: before the step, and
// once it is durable. The next start has the keys that it needs, all opens, the passes
// go on and end, and what was interrupted can be repeated.
func TestPowerFailsAtEachStep(t *testing.T) {
	t.Parallel()
	whole := &life{plug: &plug{}}
	whole.run(t)
	steps := whole.plug.steps
	// The file, the list; four batches; the list, the file.
	if want := []string{"file", "store", "store", "store", "store", "store", "store", "file"}; fmt.Sprint(steps) != fmt.Sprint(want) {
		t.Fatalf("steps: got %q, want %q", steps, want)
	}
	for i := range steps {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("step %d, after it %t", i+1, after), func(t *testing.T) {
				t.Parallel()
				l := &life{plug: &plug{at: i + 1, after: after}}
				l.run(t)
				if !l.plug.out {
					t.Error("power: got no failure, want one")
				}
			})
		}
	}
}

// life is the life of a root key, in which the power fails once at most.
type life struct {
	*site
	plug     *plug
	old, new [4]byte
}

func (l *life) run(t *testing.T) {
	t.Helper()
	l.site = newSiteIn(t, vaulttest.Options{Alone: true, Manual: true, WrapStore: func(s storage.Store) storage.Store {
		if l.plug.out { // the start after the failure
			return s
		}
		return pluggedStore{s, l.plug}
	}})
	l.file.plug, l.old = l.plug, l.Keys.KID()
	c := l.MustAuthenticate(t, vaulttest.BySession(l.used.Cookie))
	for i := range 70 { // more than a batch
		vaulttest.MustFeedback(t, l.Kit, c, fmt.Sprint("feedback-canary ", i))
	}
	l.rotate(t)
	l.wantEverything(t)
	l.reseal(t)
	l.wantAccount(t)
	l.Clock.Advance(time.Hour)
	l.endOld(t)
	l.retire(t)
	l.wantAudited(t, "root-key-rotated "+hexOf(l.new), "root-key-retired "+hexOf(l.old))
	l.wantOldKeyUseless(t, l.new)
}

// does runs a step of the operator, with a new start if the power fails meanwhile.
func (l *life) does(t *testing.T, what string, fn func() error) (failed bool) {
	t.Helper()
	vaulttest.AwaitShred(t, l.Kit) // which is no step of the operator's
	failed, err := l.plug.arm(fn)
	if !failed {
		vaulttest.Want(t, what, err, nil)
		return false
	}
	if err == nil || !strings.Contains(err.Error(), errPower.Error()) {
		t.Errorf("%s without power: got %v, want %v", what, err, errPower)
	}
	l.file.plug = nil
	l.restart(t)
	return true
}

func (l *life) rotate(t *testing.T) {
	t.Helper()
	rotate := func() (err error) {
		l.new, err = l.Vault.RootKeys.Rotate(t.Context(), "")
		return err
	}
	if l.does(t, "Rotate()", rotate) && l.Keys.KID() == l.old {
		vaulttest.Want(t, "Rotate() again", rotate(), nil)
	}
	l.new = l.Keys.KID()
	if l.new == l.old {
		t.Fatal("KID() after the rotation: got the old key, want another")
	}
	vaulttest.Want(t, "keys in the file after the rotation", len(l.file.roots), 2)
	vaulttest.Want(t, "fields under the old key before a pass", l.uses(t, l.old)[keylist.SealedFields], 73)
}

func (l *life) reseal(t *testing.T) {
	t.Helper()
	if l.does(t, "Reseal()", func() error { return l.Vault.RootKeys.Reseal(t.Context()) }) {
		l.wantAccount(t) // with rows of both keys
		left, done := l.uses(t, l.old)[keylist.SealedFields], l.uses(t, l.new)[keylist.SealedFields]
		vaulttest.Want(t, "fields under both keys", left+done, 73)
		vaulttest.Want(t, "Reseal() again", l.Vault.RootKeys.Reseal(t.Context()), nil)
	}
	vaulttest.Want(t, "fields under the old key", l.uses(t, l.old)[keylist.SealedFields], 0)
	vaulttest.Want(t, "fields under the new key", l.uses(t, l.new)[keylist.SealedFields], 73)
}

func (l *life) retire(t *testing.T) {
	t.Helper()
	l.wantUses(t, l.old, nil)
	removed := false
	retire := func() (err error) {
		removed, err = l.Vault.RootKeys.Retire(t.Context(), hexOf(l.old))
		return err
	}
	if l.does(t, "Retire()", retire) {
		l.MustAuthenticate(t, vaulttest.ByToken(l.usedToken))
		l.SignIn(t, false)
		vaulttest.Want(t, "Retire() again", retire(), nil)
	}
	vaulttest.Want(t, "Retire() removed the key", removed, true)
}
