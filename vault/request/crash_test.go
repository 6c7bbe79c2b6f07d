package request_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/answer"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/doctor"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// crasher ends a process at a step: a change of the store, or one of the shares. What
// follows fails, until the next start.
type crasher struct {
	steps   atomic.Int64 // until the crash; none at zero
	after   bool         // the last step still takes effect
	crashed atomic.Bool
}

var errCrashed = fmt.Errorf("crashed: %w", storage.ErrUnknownOutcome)

// run runs a step, or crashes.
func (c *crasher) run(step func() error) error {
	if c.crashed.Load() {
		return errCrashed
	}
	if c.steps.Load() == 0 || c.steps.Add(-1) > 0 {
		return step()
	}
	c.crashed.Store(true)
	if c.after {
		_ = step()
	}
	return errCrashed
}

type crashStore struct {
	storage.Store
	c *crasher
}

func (s crashStore) View(ctx context.Context, fn func(storage.Tx) error) error {
	if s.c.crashed.Load() {
		return errCrashed
	}
	return s.Store.View(ctx, fn)
}

func (s crashStore) Update(ctx context.Context, fn func(storage.Tx) error) error {
	return s.c.run(func() error { return s.Store.Update(ctx, fn) })
}

func (s crashStore) UpdateReserved(ctx context.Context, fn func(storage.Tx) error) error {
	return s.c.run(func() error { return s.Store.UpdateReserved(ctx, fn) })
}

type crashShares struct {
	storage.Shares
	c *crasher
}

func (s crashShares) PutMany(ctx context.Context, shares [][storage.ShareSize]byte) (slots []storage.Slot, err error) {
	err = s.c.run(func() error { slots, err = s.Shares.PutMany(ctx, shares); return err })
	return slots, err
}

func (s crashShares) Put(ctx context.Context, share [storage.ShareSize]byte) (slot storage.Slot, err error) {
	err = s.c.run(func() error { slot, err = s.Shares.Put(ctx, share); return err })
	return slot, err
}

func (s crashShares) Destroy(ctx context.Context, slots ...storage.Slot) error {
	return s.c.run(func() error { return s.Shares.Destroy(ctx, slots...) })
}

// crashKit is a vault that crashes, with a request of two places.
type crashKit struct {
	*vaulttest.Kit
	*crasher
	asked *vaulttest.Asked
}

func newCrashKit(t *testing.T) *crashKit {
	t.Helper()
	c := &crasher{}
	k := vaulttest.New(t, vaulttest.Options{
		Manual: true, Policy: anyone(),
		WrapStore: func(s storage.Store) storage.Store {
			c.steps.Store(0)
			c.crashed.Store(false)
			return crashStore{s, c}
		},
		WrapShares: func(s storage.Shares) storage.Shares { return crashShares{s, c} },
	})
	return &crashKit{k, c, k.MustAsk(t, caller.Caller{}, 2)}
}

// wantSound fails the test if an examination finds more than what is ordinary.
func (k *crashKit) wantSound(t *testing.T) {
	t.Helper()
	found := doctor.NewFindings()
	vaulttest.Want(t, "Examine()", doctor.Examine(t.Context(), doctor.Options{
		Store: k.Store, Served: true, Keys: k.Keys, Now: k.Clock.Now(), Findings: found,
	}), nil)
	for _, g := range found.Groups() {
		if g.Level > doctor.LevelInfo {
			t.Errorf("Examine(): got %s, want nothing", g.Code)
		}
	}
}

// atEveryStep runs try with a crash before and after every step that do makes, and a
// restart, until do needs no more steps.
func atEveryStep(t *testing.T, prepare func(*testing.T, *crashKit), do func(*testing.T, *crashKit) error, try func(t *testing.T, k *crashKit, done error)) {
	t.Helper()
	for _, after := range []bool{false, true} {
		for step := int64(1); ; step++ {
			over := false
			t.Run(fmt.Sprintf("step %d, done %v", step, after), func(t *testing.T) {
				k := newCrashKit(t)
				prepare(t, k)
				k.after = after
				k.steps.Store(step)
				err := do(t, k)
				if !k.crashed.Load() {
					over = true
					vaulttest.Want(t, "without a crash", err, nil)
				}
				k.Reopen(t)
				try(t, k, err)
				vaulttest.AwaitShred(t, k.Kit)
				k.wantSound(t)
			})
			if over {
				vaulttest.Want(t, "steps are more than one", step > 1, true)
				break
			}
		}
	}
}

// An answer that was acknowledged is never lost, and a repeat after a crash takes one
// place.
func TestCrashWhileAnswering(t *testing.T) {
	t.Parallel()
	made := map[*crashKit]*vaulttest.Answered{}
	atEveryStep(t, func(t *testing.T, k *crashKit) {
		t.Helper()
		made[k] = k.asked.MakeAnswer(t, vaulttest.Plaintext, "")
	}, func(t *testing.T, k *crashKit) error {
		t.Helper()
		_, err := k.SendAnswer(t, vaulttest.Caller(2), k.asked, made[k])
		return err
	}, func(t *testing.T, k *crashKit, done error) {
		t.Helper()
		before := len(k.MustCollect(t, caller.Caller{}, k.asked).Answers)
		if done == nil {
			vaulttest.Want(t, "answers after an acknowledgement", before, 1)
		}
		m, err := k.SendAnswer(t, vaulttest.Caller(2), k.asked, made[k])
		vaulttest.Want(t, "AnswerRequest(again)", err, nil)
		again, err := k.SendAnswer(t, vaulttest.Caller(2), k.asked, made[k])
		vaulttest.Want(t, "AnswerRequest(once more)", err, nil)
		vaulttest.Want(t, "receipt", again.Key, m.Key)
		got := k.MustCollect(t, caller.Caller{}, k.asked)
		vaulttest.Want(t, "answered", got.Request.Answered, 1)
		vaulttest.Want(t, "answers", len(got.Answers), 1)
		text, err := k.OpenAnswer(t, caller.Caller{}, k.asked, got.Answers[0], "")
		vaulttest.Want(t, "OpenAnswer()", err, nil)
		vaulttest.Want(t, "text", text, vaulttest.Plaintext)
		_, err = k.OpenAnswer(t, caller.Caller{}, k.asked, got.Answers[0], "")
		vaulttest.WantErr(t, "OpenAnswer(again)", err, refusal.ErrNotFound)
	})
}

// An answer that is opened with a claim opens again with it after a crash, until it is
// acknowledged, and with no other.
func TestCrashWhileCollecting(t *testing.T) {
	t.Parallel()
	shown := map[*crashKit]request.Answer{}
	prepare := func(t *testing.T, k *crashKit) {
		t.Helper()
		k.MustAnswer(t, vaulttest.Caller(2), k.asked, vaulttest.Plaintext)
		shown[k] = k.MustCollect(t, caller.Caller{}, k.asked).Answers[0]
	}
	wantGone := func(t *testing.T, k *crashKit) {
		t.Helper()
		for _, by := range []caller.Text{"", vaulttest.Claim(1), vaulttest.Claim(2)} {
			_, err := k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], by)
			vaulttest.WantErr(t, "OpenAnswer(gone)", err, refusal.ErrNotFound)
		}
		left := k.MustCollect(t, caller.Caller{}, k.asked).Answers[0]
		vaulttest.Want(t, "state", left.State, receipt.StateReceived)
		vaulttest.Want(t, "what opens it", left.SealedLink, "")
	}
	atEveryStep(t, prepare, func(t *testing.T, k *crashKit) error {
		t.Helper()
		_, err := k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], vaulttest.Claim(1))
		return err
	}, func(t *testing.T, k *crashKit, _ error) {
		t.Helper()
		text, err := k.OpenAnswer(t, caller.Caller{}, k.asked, k.MustCollect(t, caller.Caller{}, k.asked).Answers[0], vaulttest.Claim(1))
		vaulttest.Want(t, "OpenAnswer(again)", err, nil)
		vaulttest.Want(t, "text", text, vaulttest.Plaintext)
		_, err = k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], vaulttest.Claim(2))
		vaulttest.WantErr(t, "OpenAnswer(another claim)", err, refusal.ErrNotFound)
		k.MustAcknowledge(t, *shown[k].Secret, vaulttest.Claim(1))
		wantGone(t, k)
	})
	atEveryStep(t, func(t *testing.T, k *crashKit) {
		t.Helper()
		prepare(t, k)
		_, err := k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], vaulttest.Claim(1))
		vaulttest.Want(t, "OpenAnswer()", err, nil)
		vaulttest.AwaitShred(t, k.Kit)
	}, func(t *testing.T, k *crashKit) error {
		t.Helper()
		return k.Vault.Secrets.AcknowledgeReveal(t.Context(), shown[k].Secret.Expose(), vaulttest.Claim(1))
	}, func(t *testing.T, k *crashKit, _ error) {
		t.Helper()
		k.MustAcknowledge(t, *shown[k].Secret, vaulttest.Claim(1))
		wantGone(t, k)
		vaulttest.Want(t, "claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
	})
}

// An answer that is opened without a claim opens once at most, whatever crashes.
func TestCrashWhileCollectingWithoutClaim(t *testing.T) {
	t.Parallel()
	shown := map[*crashKit]request.Answer{}
	atEveryStep(t, func(t *testing.T, k *crashKit) {
		t.Helper()
		k.MustAnswer(t, vaulttest.Caller(2), k.asked, vaulttest.Plaintext)
		shown[k] = k.MustCollect(t, caller.Caller{}, k.asked).Answers[0]
	}, func(t *testing.T, k *crashKit) error {
		t.Helper()
		_, err := k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], "")
		return err
	}, func(t *testing.T, k *crashKit, done error) {
		t.Helper()
		waits := k.MustCollect(t, caller.Caller{}, k.asked).Request.Waiting == 1
		_, err := k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], "")
		if done == nil || !waits {
			vaulttest.WantErr(t, "OpenAnswer(again)", err, refusal.ErrNotFound)
		} else {
			vaulttest.Want(t, "OpenAnswer(it waits)", err, nil)
		}
		_, err = k.OpenAnswer(t, caller.Caller{}, k.asked, shown[k], "")
		vaulttest.WantErr(t, "OpenAnswer(once more)", err, refusal.ErrNotFound)
		vaulttest.Want(t, "what opens it", k.MustCollect(t, caller.Caller{}, k.asked).Answers[0].SealedLink, "")
	})
}

// A close that burns can be repeated after a crash, and what it burned stays burned.
func TestCrashWhileClosing(t *testing.T) {
	t.Parallel()
	atEveryStep(t, func(t *testing.T, k *crashKit) {
		t.Helper()
		k.MustAnswer(t, vaulttest.Caller(2), k.asked, vaulttest.Plaintext)
		k.MustAnswer(t, vaulttest.Caller(2), k.asked, vaulttest.Plaintext)
	}, func(t *testing.T, k *crashKit) error {
		t.Helper()
		_, err := k.Vault.Requests.CloseByLink(t.Context(), caller.Caller{}, k.asked.CollectLink(), true)
		return err
	}, func(t *testing.T, k *crashKit, _ error) {
		t.Helper()
		_, err := k.Vault.Requests.CloseByLink(t.Context(), caller.Caller{}, k.asked.CollectLink(), true)
		vaulttest.Want(t, "CloseByLink(again)", err, nil)
		wantCounts(t, k.Kit, k.asked, request.StateClosed, 2, 0)
		vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	})
}

// A damaged answer keeps neither its secret nor its claim alive.
func TestDamagedAnswer(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	a := k.MustAsk(t, caller.Caller{}, 3)
	made := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	claimed := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	shown := k.MustCollect(t, caller.Caller{}, a)
	_, err := k.OpenAnswer(t, caller.Caller{}, a, vaulttest.AnswerOf(t, shown, claimed), vaulttest.Claim(1))
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	for _, one := range []*vaulttest.Answered{made, claimed} {
		ref := answer.Ref{Request: a.Key.RowKey(seal.KindRequest), Number: one.Number}
		vaulttest.Put(t, k.Store, answer.BucketAnswer, ref.Key(), []byte("damaged"))
	}
	k.MustBurn(t, vaulttest.Caller(2), made.Metadata.Key, "")
	k.MustAcknowledge(t, *vaulttest.AnswerOf(t, shown, claimed).Secret, vaulttest.Claim(1))
	vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 0)
	vaulttest.Want(t, "claims", len(vaulttest.RowsIn(t, k.Store, claim.BucketClaim)), 0)
	vaulttest.Want(t, "answers that can be read", len(k.MustCollect(t, caller.Caller{}, a).Answers), 0)
	vaulttest.AdvanceInSteps(t, k, answer.Lifetime+25*time.Hour)
	vaulttest.Want(t, "requests", len(vaulttest.RowsIn(t, k.Store, request.BucketRequest)), 0)
}
