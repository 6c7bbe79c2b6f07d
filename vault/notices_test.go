package vault_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// mustWatch follows a receipt on a node until the test ends.
func mustWatch(t *testing.T, k *vaulttest.Kit, c caller.Caller, kept secret.Concealed) *receipt.Watch {
	t.Helper()
	w, err := k.Vault.Receipts.WatchMetadata(t.Context(), c, kept.Metadata.Key.Expose())
	vaulttest.Want(t, "WatchMetadata(key)", err, nil)
	t.Cleanup(w.Close)
	return w
}

// isTold reports whether a watch has a change by now.
func isTold(w *receipt.Watch) bool {
	select {
	case <-w.Changed():
		return true
	default:
		return false
	}
}

func mustPoll(t *testing.T, k *vaulttest.Kit) {
	t.Helper()
	vaulttest.Want(t, "PollWatches()", k.Vault.Watches.Poll(t.Context()), nil)
}

func mustState(t *testing.T, w *receipt.Watch, want receipt.State) {
	t.Helper()
	shown, err := w.Metadata(t.Context())
	vaulttest.Want(t, "Metadata()", err, nil)
	vaulttest.Want(t, "Metadata().State", shown.State, want)
}

// receiptChanges are what a node can do to a receipt, and its state afterwards.
func receiptChanges() map[string]struct {
	to     receipt.State
	change func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed)
} {
	return map[string]struct {
		to     receipt.State
		change func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed)
	}{
		"view": {receipt.StateViewed, func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			_, err := k.Vault.Receipts.GetMetadata(t.Context(), vaulttest.Caller(1), kept.Metadata.Key.Expose())
			vaulttest.Want(t, "GetMetadata(key)", err, nil)
		}},
		"reveal": {receipt.StateReceived, func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			k.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, "right")
		}},
		"burn": {receipt.StateBurned, func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			k.MustBurn(t, vaulttest.Caller(2), kept.Metadata.Key, "right")
		}},
		"look": {receipt.StateNew, func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			_, err := k.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(2), kept.Secret.Key.Expose())
			vaulttest.Want(t, "GetSecret(key)", err, nil)
		}},
		"wrong passphrase": {receipt.StateNew, func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			vaulttest.WantErr(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, vaulttest.Caller(2), kept.Secret.Key.Expose(), "wrong"), refusal.ErrPassphrase)
		}},
		"memo": {receipt.StateNew, func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) {
			t.Helper()
			_, err := k.Vault.Receipts.UpdateMemo(t.Context(), vaulttest.Caller(2), kept.Metadata.Key.Expose(), "a note")
			vaulttest.Want(t, "UpdateMemo(key)", err, nil)
		}},
		"expiry": {receipt.StateExpired, func(t *testing.T, k *vaulttest.Kit, _ secret.Concealed) {
			t.Helper()
			advance(t, time.Minute, k)
			k.MustSweep(t)
		}},
	}
}

// What one node does, a watch on another hears of at once. If the notification
// is lost, it is found by the next poll, once.
func TestWatchOnAnotherNode(t *testing.T) {
	t.Parallel()
	for name, c := range receiptChanges() {
		for _, losing := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					all := vaulttest.NewMemoryCluster(t)
					a, b := all.Node(t, "a", vaulttest.Options{Manual: true}), all.Node(t, "b", vaulttest.Options{Manual: true})
					synctest.Wait()
					terms := secret.Terms{TTL: new(time.Minute), Passphrase: "right"}
					kept := a.MustConceal(t, caller.Caller{}, "the text", terms)
					other := a.MustConceal(t, caller.Caller{}, "another", secret.Terms{})
					w, stranger := mustWatch(t, b, vaulttest.Caller(1), kept), mustWatch(t, b, vaulttest.Caller(1), other)
					mustPoll(t, b) // shows both for the first time
					isTold(w)
					isTold(stranger)

					all.Notices.Lose(losing)
					c.change(t, a, kept)
					synctest.Wait()
					vaulttest.Want(t, "Changed() after "+name, isTold(w), !losing)
					mustPoll(t, b)
					if losing {
						vaulttest.Want(t, "Changed() after the poll", isTold(w), true)
					}
					isTold(w)
					if c.to == receipt.StateExpired {
						advance(t, time.Minute, b)
					}
					if c.to != receipt.StateNew {
						mustState(t, w, c.to)
					}
					synctest.Wait()
					isTold(w)
					mustPoll(t, b)
					isTold(w)
					mustPoll(t, b)
					vaulttest.Want(t, "Changed() when nothing changed", isTold(w), false)
					vaulttest.Want(t, "Changed() of another receipt", isTold(stranger), false)
				})
			})
		}
	}
}

// A secret expires without a sweep: the poll tells of it, once.
func TestPollTellsOfExpiry(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewMemoryCluster(t)
	k := c.Node(t, "a", vaulttest.Options{Manual: true})
	w := mustWatch(t, k, vaulttest.Caller(1), k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)}))
	mustPoll(t, k)
	isTold(w)
	advance(t, time.Minute-time.Second, k)
	mustPoll(t, k)
	vaulttest.Want(t, "Changed() before the end", isTold(w), false)
	advance(t, time.Second, k)
	mustPoll(t, k)
	vaulttest.Want(t, "Changed() at the end", isTold(w), true)
	mustState(t, w, receipt.StateExpired)
	mustPoll(t, k)
	vaulttest.Want(t, "Changed() after the end", isTold(w), false)
}

// A poll is one transaction however many watches are open, and none without a
// watch.
func TestPollIsOneRead(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewMemoryCluster(t)
	var work vaulttest.WorkStore
	k := c.Node(t, "a", vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		work.Store = s
		return &work
	}})
	ctx := vaulttest.Counted(t.Context())
	vaulttest.Want(t, "PollWatches(no watch)", k.Vault.Watches.Poll(ctx), nil)
	vaulttest.Want(t, "transactions", work.Views.Load(), 0)
	var open []*receipt.Watch
	for range 50 {
		kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		open = append(open, mustWatch(t, k, vaulttest.Caller(1), kept), mustWatch(t, k, vaulttest.Caller(2), kept))
	}
	vaulttest.Want(t, "PollWatches(100 watches)", k.Vault.Watches.Poll(ctx), nil)
	vaulttest.Want(t, "transactions", work.Views.Load(), 1)
	vaulttest.Want(t, "rows read", work.Reads.Load(), 100)
	for _, w := range open {
		w.Close()
	}
	vaulttest.Want(t, "PollWatches(closed watches)", k.Vault.Watches.Poll(ctx), nil)
	vaulttest.Want(t, "transactions", work.Views.Load(), 1)
}

// A node polls by itself, within its bound, and at once when it learns that
// notifications may be lost.
func TestNodesPoll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hint bool
		most time.Duration
	}{"silent loss": {false, 4 * time.Second}, "known loss": {true, 250 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				all := vaulttest.NewMemoryCluster(t)
				a, b := all.Node(t, "a", vaulttest.Options{Manual: true}), all.Node(t, "b", vaulttest.Options{})
				kept := a.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
				w := mustWatch(t, b, vaulttest.Caller(1), kept)
				time.Sleep(10 * time.Second)
				isTold(w)
				all.Notices.Lose(true)
				a.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, "")
				begun := time.Now()
				if c.hint {
					all.Notices.Interrupt(errors.New("connection lost"))
				}
				<-w.Changed()
				mustState(t, w, receipt.StateReceived)
				if took := time.Since(begun); took > c.most {
					t.Errorf("Changed(): came after %v, want at most %v", took, c.most)
				}
			})
		})
	}
}

// The attack: another role of the database reports again and again that
// notifications were lost. That causes few reads and few lines in the log.
func TestFloodOfLosses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := vaulttest.NewMemoryCluster(t)
		var work vaulttest.WorkStore
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		k := all.Node(t, "a", vaulttest.Options{Manual: true, Log: logger, WrapStore: func(s storage.Store) storage.Store {
			work.Store = s
			return &work
		}})
		mustWatch(t, k, vaulttest.Caller(1), k.MustConceal(t, caller.Caller{}, "x", secret.Terms{}))
		ctx, stop := context.WithCancel(vaulttest.Counted(t.Context()))
		go k.Vault.Watches.PollUntil(ctx, logger)
		for range 10_000 {
			all.Notices.Interrupt(storage.ErrOverflow)
			time.Sleep(time.Millisecond)
		}
		stop()
		synctest.Wait()
		if polls := work.Views.Load(); polls < 20 || polls > 41 {
			t.Errorf("polls in 10 seconds: got %d, want 20 to 41", polls)
		}
		if lines := strings.Count(log.String(), "may be lost"); lines != 1 {
			t.Errorf("log: got %d lines, want 1\n%s", lines, log.String())
		}
	})
}

// The attack: a thief follows a receipt with a stolen session or token on one
// node. Its owner ends it on another, and the stream has to end: at once, or by
// the next poll if the notification is lost.
func TestCredentialEndsOnAnotherNode(t *testing.T) {
	t.Parallel()
	type revocation struct {
		token bool
		end   func(*testing.T, *vaulttest.Member, caller.Caller)
	}
	for name, c := range map[string]revocation{
		"sign-out": {false, func(t *testing.T, m *vaulttest.Member, c caller.Caller) {
			t.Helper()
			vaulttest.Want(t, "DestroySession()", m.Vault.Sessions.DestroySession(t.Context(), c), nil)
		}},
		"password": {false, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			other := m.MustEnter(t)
			vaulttest.Want(t, "ChangeAccountPassword()", m.Vault.Passwords.ChangeAccountPassword(t.Context(), other, vaulttest.Password, "staple of the battery"), nil)
		}},
		"token revoked": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().Tokens.RevokeToken(t.Context(), vaulttest.MemberAddress, "watcher")
			vaulttest.Want(t, "Operator.RevokeToken()", err, nil)
		}},
		"account disabled": {true, func(t *testing.T, m *vaulttest.Member, _ caller.Caller) {
			t.Helper()
			_, err := m.Vault.Operator().Accounts.DisableAccount(t.Context(), vaulttest.MemberAddress, true)
			vaulttest.Want(t, "Operator.DisableAccount()", err, nil)
		}},
		"account destroyed": {false, func(t *testing.T, m *vaulttest.Member, c caller.Caller) {
			t.Helper()
			_, err := m.Vault.DestroyAccount(t.Context(), c, vaulttest.Password)
			vaulttest.Want(t, "DestroyAccount()", err, nil)
		}},
	} {
		for _, losing := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					all := vaulttest.NewMemoryCluster(t)
					opts := vaulttest.Options{Manual: true}
					owner := &vaulttest.Member{Kit: all.Node(t, "a", opts)}
					owner.ID = owner.AddAccount(t, vaulttest.MemberAddress, vaulttest.Password)
					thief := &vaulttest.Member{Kit: all.Node(t, "b", opts), ID: owner.ID}
					synctest.Wait()
					own := vaulttest.BySession(owner.SignIn(t, false).Cookie)
					if c.token {
						own = vaulttest.ByToken(owner.MustToken(t, owner.MustAuthenticate(t, own), credential.NewToken{Name: "watcher"}))
					}
					kept := owner.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
					w := mustWatch(t, thief.Kit, thief.MustAuthenticate(t, own), kept)
					stranger := mustWatch(t, thief.Kit, vaulttest.Caller(9), kept)
					advance(t, time.Second, owner.Kit, thief.Kit) // what comes is newer
					_, err := w.Metadata(t.Context())
					vaulttest.Want(t, "Metadata() before", err, nil)
					synctest.Wait()
					mustPoll(t, thief.Kit)
					isTold(w)

					all.Notices.Lose(losing)
					c.end(t, owner, owner.MustAuthenticate(t, own))
					synctest.Wait()
					vaulttest.Want(t, "Changed() after "+name, isTold(w), !losing)
					mustPoll(t, thief.Kit)
					if losing {
						vaulttest.Want(t, "Changed() after the poll", isTold(w), true)
					}
					_, err = w.Metadata(t.Context())
					vaulttest.WantErr(t, "Metadata() after "+name, err, refusal.ErrUnauthenticated)
					_, err = stranger.Metadata(t.Context())
					vaulttest.Want(t, "Metadata() of a stranger", err, nil)
				})
			})
		}
	}
}

// A mail that one node queues is sent at once by the node that sends mails. If
// the notification is lost, that node finds it by itself.
func TestOtherNodeSendsAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		losing bool
		most   time.Duration
	}{"told": {false, 0}, "lost": {true, 5 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sent := make(chan time.Time, 1)
				send := func(context.Context, outbox.Mail) error {
					sent <- time.Now()
					return nil
				}
				all := vaulttest.NewMemoryCluster(t)
				a := all.Node(t, "a", vaulttest.Options{Manual: true, Send: send})
				all.Node(t, "b", vaulttest.Options{Send: send})
				time.Sleep(12 * time.Second)
				all.Notices.Lose(c.losing)
				mustNotice(t, a)
				begun := time.Now()
				a.Vault.Outbox.Wake()
				if took := (<-sent).Sub(begun); took > c.most {
					t.Errorf("mail: sent after %v, want at most %v", took, c.most)
				}
			})
		})
	}
}

// What a node tells holds nothing of what it is about, and nothing that did not
// happen: a secret without a notice by mail wakes no sender.
func TestTopicsAreOpaque(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all := vaulttest.NewMemoryCluster(t)
		send := func(context.Context, outbox.Mail) error { return nil }
		a := all.Node(t, "a", vaulttest.Options{Manual: true, Send: send})
		var heard []storage.Topic
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go all.Notices.Join().Listen(ctx, func(topics []storage.Topic, _ error) { heard = append(heard, topics...) })
		synctest.Wait()
		var rows [][]byte
		for range 2 {
			kept := a.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
			row := kept.Metadata.Key.RowKey(seal.KindMetadata)
			rows = append(rows, row[:])
			a.MustReveal(t, vaulttest.Caller(2), kept.Secret.Key, "")
			synctest.Wait()
		}
		if len(heard) != 2 || heard[0] == heard[1] {
			t.Fatalf("heard: got %x, want a topic for each receipt", heard)
		}
		for i, topic := range heard {
			if bytes.Contains(rows[i], topic[:4]) {
				t.Errorf("topic %x: is in the row %x, want nothing of it", topic, rows[i])
			}
		}
	})
}
