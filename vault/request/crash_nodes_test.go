package request_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"hush/storage"
	"hush/testtier"
	"hush/vault/caller"
	"hush/vault/claim"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// killsOf returns how many nodes are killed between every two steps.
func killsOf() int {
	if testtier.IsFull() {
		return 25
	}
	return 2
}

// pair is two nodes of one store: one that is killed and comes back no more, and one that
// serves on.
type pair struct {
	*vaulttest.Kit // that serves on

	killed  *vaulttest.Kit
	crasher *crasher
	asked   *vaulttest.Asked
}

func newPair(t *testing.T) *pair {
	t.Helper()
	cluster, c := vaulttest.NewCluster(t), &crasher{}
	p := &pair{crasher: c, Kit: cluster.Node(t, "serves", vaulttest.Options{Manual: true, Policy: anyone()})}
	p.killed = cluster.Node(t, "killed", vaulttest.Options{
		Manual: true, Policy: anyone(),
		WrapStore:  func(s storage.Store) storage.Store { return crashStore{s, c} },
		WrapShares: func(s storage.Shares) storage.Shares { return crashShares{s, c} },
	})
	p.asked = p.MustAsk(t, caller.Caller{}, 2)
	return p
}

// advance moves the clock of the node that serves on, so that claims of the other one
// lapse.
func (p *pair) advance(t *testing.T, d time.Duration) {
	t.Helper()
	for ; d > 0; d -= 20 * time.Second {
		p.Clock.Advance(20 * time.Second)
		vaulttest.Want(t, "Beat()", p.Vault.Beat(t.Context()), nil)
		vaulttest.Want(t, "Seek()", p.Vault.Claims.Seek(t.Context()), nil)
		p.MustLapse(t)
	}
}

// shred destroys the shares that the killed node left, as the second sweep after it does.
func (p *pair) shred(t *testing.T) {
	t.Helper()
	for range 1000 {
		if len(vaulttest.RowsIn(t, p.Store, shares.BucketShred)) == 0 {
			return
		}
		p.MustSweep(t)
		time.Sleep(time.Millisecond)
	}
	t.Fatal("shares that a killed node left: got some after many sweeps, want none")
}

// killing is what a node does while it is killed, and what holds afterwards.
type killing struct {
	prepare func(*testing.T, *pair)
	// on is done on the node that is killed, and beside at the same time on the other.
	on, beside func(*testing.T, *pair) error
	then       func(t *testing.T, p *pair, on, beside error)
}

// killAtEveryStep kills a node before and after every step that it makes, again and again,
// until it needs no more steps.
func killAtEveryStep(t *testing.T, of func() killing) {
	t.Helper()
	for _, after := range []bool{false, true} {
		for step, over := int64(1), false; !over && step < 30 && !t.Failed(); step++ {
			t.Run(fmt.Sprintf("step %d, done %v", step, after), func(t *testing.T) {
				survived := 0
				for i := range killsOf() {
					if !killOnce(t, of(), step, after, i%2 == 0) {
						survived++
					}
				}
				over = survived == killsOf()
			})
		}
	}
}

// killOnce reports whether the node was killed. alone says that the other node does its
// part only afterwards.
func killOnce(t *testing.T, k killing, step int64, after, alone bool) bool {
	t.Helper()
	p := newPair(t)
	k.prepare(t, p)
	p.crasher.after = after
	p.crasher.steps.Store(step)
	var on, beside error
	var both sync.WaitGroup
	both.Go(func() { on = k.on(t, p) })
	if alone {
		both.Wait()
	}
	both.Go(func() { beside = k.beside(t, p) })
	both.Wait()
	killed := p.crasher.crashed.Swap(true)
	k.then(t, p, on, beside)
	p.shred(t)
	(&crashKit{Kit: p.Kit}).wantSound(t)
	p.killed.Close(t)
	p.Close(t)
	return killed
}

// A node is killed between any two steps of answering, while another gets the same answer
// again: what was acknowledged is there, it takes one place and has one receipt, and it
// opens once.
func TestKillsWhileAnswering(t *testing.T) {
	t.Parallel()
	killAtEveryStep(t, func() killing {
		var made *vaulttest.Answered
		var receipts sync.Map
		send := func(t *testing.T, p *pair, k *vaulttest.Kit) error {
			t.Helper()
			m, err := k.SendAnswer(t, vaulttest.Caller(2), p.asked, made)
			if err == nil {
				receipts.Store(m.Key.Expose(), true)
			}
			return err
		}
		return killing{
			prepare: func(t *testing.T, p *pair) { t.Helper(); made = p.asked.MakeAnswer(t, vaulttest.Plaintext, "") },
			on:      func(t *testing.T, p *pair) error { t.Helper(); return send(t, p, p.killed) },
			beside:  func(t *testing.T, p *pair) error { t.Helper(); return send(t, p, p.Kit) },
			then: func(t *testing.T, p *pair, _, beside error) {
				t.Helper()
				vaulttest.Want(t, "AnswerRequest(other node)", beside, nil)
				vaulttest.Want(t, "AnswerRequest(again)", send(t, p, p.Kit), nil)
				count := 0
				receipts.Range(func(_, _ any) bool { count++; return true })
				vaulttest.Want(t, "receipts", count, 1)
				wantCounts(t, p.Kit, p.asked, request.StateOpen, 1, 1)
				vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, p.Store, secret.BucketSecret)), 1)
				shown := p.MustCollect(t, caller.Caller{}, p.asked).Answers[0]
				text, err := p.OpenAnswer(t, caller.Caller{}, p.asked, shown, "")
				vaulttest.Want(t, "OpenAnswer()", err, nil)
				vaulttest.Want(t, "text", text, vaulttest.Plaintext)
				_, err = p.OpenAnswer(t, caller.Caller{}, p.asked, shown, "")
				vaulttest.WantErr(t, "OpenAnswer(again)", err, refusal.ErrNotFound)
			},
		}
	})
}

// opening is an answer that is opened on the node that is killed with one claim, and
// beside with another or the same.
func opening(beside caller.Text, then func(t *testing.T, p *pair, shown request.Answer, on, beside error)) killing {
	var shown request.Answer
	open := func(t *testing.T, p *pair, k *vaulttest.Kit, by caller.Text) error {
		t.Helper()
		text, err := k.OpenAnswer(t, caller.Caller{}, p.asked, shown, by)
		if err == nil {
			vaulttest.Want(t, "text", text, vaulttest.Plaintext)
		}
		return err
	}
	return killing{
		prepare: func(t *testing.T, p *pair) {
			t.Helper()
			p.MustAnswer(t, vaulttest.Caller(2), p.asked, vaulttest.Plaintext)
			shown = p.MustCollect(t, caller.Caller{}, p.asked).Answers[0]
		},
		on: func(t *testing.T, p *pair) error { t.Helper(); return open(t, p, p.killed, vaulttest.Claim(1)) },
		beside: func(t *testing.T, p *pair) error {
			t.Helper()
			if beside == "" {
				return nil
			}
			return open(t, p, p.Kit, beside)
		},
		then: func(t *testing.T, p *pair, on, beside error) { t.Helper(); then(t, p, shown, on, beside) },
	}
}

// wantEnded fails the test unless an answer opens by none of the claims, and nothing of it
// is left.
func (p *pair) wantEnded(t *testing.T, shown request.Answer) {
	t.Helper()
	for _, by := range []caller.Text{"", vaulttest.Claim(1), vaulttest.Claim(2)} {
		_, err := p.OpenAnswer(t, caller.Caller{}, p.asked, shown, by)
		vaulttest.WantErr(t, "OpenAnswer(ended)", err, refusal.ErrNotFound)
	}
	left := p.MustCollect(t, caller.Caller{}, p.asked).Answers[0]
	vaulttest.Want(t, "state", left.State, receipt.StateReceived)
	vaulttest.Want(t, "what opens it", left.SealedLink, "")
	vaulttest.Want(t, "claims", len(vaulttest.RowsIn(t, p.Store, claim.BucketClaim)), 0)
	vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, p.Store, secret.BucketSecret)), 0)
}

// A node is killed between any two steps of opening, while two devices open, each on its
// node: one of them gets the text, and gets it again until it confirms.
func TestKillsWhileTwoCollect(t *testing.T) {
	t.Parallel()
	killAtEveryStep(t, func() killing {
		return opening(vaulttest.Claim(2), func(t *testing.T, p *pair, shown request.Answer, on, beside error) {
			t.Helper()
			if on == nil && beside == nil {
				t.Error("OpenAnswer(): got the text for two claims, want it for one")
			}
			var got []caller.Text
			for _, by := range []caller.Text{vaulttest.Claim(1), vaulttest.Claim(2)} {
				_, err := p.OpenAnswer(t, caller.Caller{}, p.asked, p.MustCollect(t, caller.Caller{}, p.asked).Answers[0], by)
				if err == nil {
					got = append(got, by)
				} else if !errors.Is(err, refusal.ErrNotFound) {
					t.Errorf("OpenAnswer(again): got %v, want nil or %v", err, refusal.ErrNotFound)
				}
			}
			if len(got) != 1 || on == nil && got[0] != vaulttest.Claim(1) || beside == nil && got[0] != vaulttest.Claim(2) {
				t.Fatalf("OpenAnswer(again): got the text for %d claims, want it for the one that had it", len(got))
			}
			p.MustAcknowledge(t, *shown.Secret, got[0])
			p.wantEnded(t, shown)
		})
	})
}

// A node is killed between any two steps of opening, and the device is silent from then
// on. The answer waits and opens once, or it was opened and its claim lapses as that of a
// secret does: nothing comes back.
func TestKillsAndTheClaimLapses(t *testing.T) {
	t.Parallel()
	killAtEveryStep(t, func() killing {
		return opening("", func(t *testing.T, p *pair, shown request.Answer, on, _ error) {
			t.Helper()
			p.advance(t, claim.Lifetime+time.Minute)
			if p.MustCollect(t, caller.Caller{}, p.asked).Request.Waiting == 1 {
				vaulttest.Want(t, "the device had the text", on == nil, false)
				_, err := p.OpenAnswer(t, caller.Caller{}, p.asked, shown, vaulttest.Claim(2))
				vaulttest.Want(t, "OpenAnswer(it waits)", err, nil)
				p.MustAcknowledge(t, *shown.Secret, vaulttest.Claim(2))
			}
			p.wantEnded(t, shown)
		})
	})
}

// A node is killed between any two steps of a confirmation, while another gets the same
// one: the answer is delivered, and nothing of it is left.
func TestKillsWhileConfirming(t *testing.T) {
	t.Parallel()
	killAtEveryStep(t, func() killing {
		k := opening("", nil)
		var shown request.Answer
		confirm := func(t *testing.T, on *vaulttest.Kit) error {
			t.Helper()
			return on.Vault.Secrets.AcknowledgeReveal(t.Context(), shown.Secret.Expose(), vaulttest.Claim(1))
		}
		prepare := k.prepare
		return killing{
			prepare: func(t *testing.T, p *pair) {
				t.Helper()
				prepare(t, p)
				shown = p.MustCollect(t, caller.Caller{}, p.asked).Answers[0]
				vaulttest.Want(t, "OpenAnswer()", k.on(t, p), nil)
				vaulttest.AwaitShred(t, p.Kit)
			},
			on:     func(t *testing.T, p *pair) error { t.Helper(); return confirm(t, p.killed) },
			beside: func(t *testing.T, p *pair) error { t.Helper(); return confirm(t, p.Kit) },
			then: func(t *testing.T, p *pair, _, beside error) {
				t.Helper()
				vaulttest.Want(t, "AcknowledgeReveal(other node)", beside, nil)
				p.wantEnded(t, shown)
				events := p.MustCollect(t, caller.Caller{}, p.asked).Answers[0].Events
				vaulttest.Want(t, "last event", events[len(events)-1].Kind, receipt.EventDelivered)
			},
		}
	})
}
