package vault_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// wantShareGone fails the test if a share's bytes are in any file of dir.
func wantShareGone(t *testing.T, dir string, share [storage.ShareSize]byte) {
	t.Helper()
	want(t, "share is in a file", holds(t, dir, share[:]), false)
}

// holds reports whether any file of dir holds data.
func holds(t *testing.T, dir string, data []byte) bool {
	t.Helper()
	return bytes.Contains(everything(t, dir), data)
}

// everything returns the files of dir, one behind the other.
func everything(t *testing.T, dir string) (content []byte) {
	t.Helper()
	files, err := os.ReadDir(dir)
	want(t, "ReadDir(data folder)", err, nil)
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(dir, file.Name()))
		want(t, "ReadFile("+file.Name()+")", err, nil)
		content = append(append(content, data...), 0)
	}
	return content
}

// shareOf returns a live secret's share, and proves that it can be found.
func shareOf(t *testing.T, k *vaulttest.Kit, key seal.Token) [storage.ShareSize]byte {
	t.Helper()
	share, err := k.Shares.Get(t.Context(), slotOf(t, k, key))
	want(t, "Get(share of a live secret)", err, nil)
	want(t, "share is in a file", holds(t, k.Dir, share[:]), true)
	return share
}

// faultyKit is a vault whose shares cannot be destroyed while told so.
func faultyKit(t *testing.T) (*vaulttest.Kit, *faultyShares) {
	t.Helper()
	var shares faultyShares
	return vaulttest.New(t, vaulttest.Options{Manual: true, WrapShares: func(s storage.Shares) storage.Shares {
		wrapped := newFaultyShares(s)
		shares.Shares, shares.Recycler = wrapped.Shares, wrapped.Recycler
		return &shares
	}}), &shares
}

// The attack: crash the server after the claim and before the share is
// overwritten, then take the disk. The response was withheld, and the next
// start destroys the share before it serves requests.
func TestCrashBeforeShred(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *vaulttest.Kit, secret.Concealed) error{
		"reveal": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) error {
			t.Helper()
			return revealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), "")
		},
		"burn": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) error {
			t.Helper()
			got, err := k.Vault.Burns.BurnSecret(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "")
			want(t, "BurnSecret(share not destroyed).State", got.State, secret.StateNone)
			return err
		},
		"expiry": func(t *testing.T, k *vaulttest.Kit, _ secret.Concealed) error {
			t.Helper()
			k.Clock.Advance(time.Minute)
			_, err := k.Vault.Sweep(t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, shares := faultyKit(t)
			kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{TTL: new(time.Minute)})
			slot, share := slotOf(t, k, kept.Secret.Key), shareOf(t, k, kept.Secret.Key)
			failure := storage.ErrUnknownOutcome
			shares.destroy.Store(&failure)
			wantErr(t, name+"(share not destroyed)", end(t, k, kept), refusal.ErrUnavailable)
			wantErr(t, "RevealSecret(again)", revealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
			want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 1)

			k.Close(t)
			want(t, "share is in a file", holds(t, k.Dir, share[:]), true)
			shares.destroy.Store(nil)
			k.Reopen(t)
			want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 0)
			_, err := k.Shares.Get(t.Context(), slot)
			wantErr(t, "Get(listed share)", err, storage.ErrShareGone)
			wantShareGone(t, k.Dir, share)
		})
	}
}

// As long as listed shares cannot be destroyed, the service does not start.
func TestStartNeedsTheShred(t *testing.T) {
	t.Parallel()
	k, shares := faultyKit(t)
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{})
	failure := errors.New("no")
	shares.destroy.Store(&failure)
	wantErr(t, "RevealSecret(share not destroyed)", revealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), failure)
	_, err := vault.Open(t.Context(), vault.Options{
		Store: k.Store, Shares: shares, Keys: k.Keys, Now: k.Clock.Now, Manual: true,
	})
	wantErr(t, "Open(share not destroyed)", err, failure)
	want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 1)
	shares.destroy.Store(nil)
}

// A row of the list that is older than what its slot holds is struck off, and
// the slot's owner keeps its share.
func TestListedSlotOfAnother(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	first := k.MustConceal(t, caller.Caller{}, "first", secret.Wish{})
	old := slotOf(t, k, first.Secret.Key)
	k.MustReveal(t, caller.Caller{}, first.Secret.Key, "")
	struckOff(t, k)
	var owner secret.Concealed
	for slot := (storage.Slot{}); slot.Number != old.Number; slot = slotOf(t, k, owner.Secret.Key) {
		owner = k.MustConceal(t, caller.Caller{}, "owner", secret.Wish{})
	}
	put(t, k.Store, vault.BucketShred, number(old.Number), number(old.Generation))
	k.Reopen(t)
	want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 0)
	k.MustReclaim(t)
	for range 3 {
		k.MustConceal(t, caller.Caller{}, "others", secret.Wish{})
	}
	want(t, "RevealSecret(owner)", k.MustReveal(t, caller.Caller{}, owner.Secret.Key, ""), "owner")
}

// A share whose record was never kept is lost space until the background pass
// finds it, and then the next secret takes its slot.
func TestOrphanedSlotIsUsedAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
	orphan, err := k.Shares.Put(t.Context(), [storage.ShareSize]byte{1, 2, 3})
	want(t, "Put(share)", err, nil)
	k.Close(t)
	// Without the slots that were never used, of which there are many.
	path := filepath.Join(k.Dir, "shares")
	want(t, "Truncate(shares)", os.Truncate(path, int64(orphan.Number+1)*64), nil)
	k.Reopen(t)
	before := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{})
	want(t, "slot before the pass is new", slotOf(t, k, before.Secret.Key).Number > orphan.Number, true)
	want(t, "Reclaim()", k.MustReclaim(t), 1)
	after := k.MustConceal(t, caller.Caller{}, "y", secret.Wish{})
	want(t, "slot after the pass", slotOf(t, k, after.Secret.Key), storage.Slot{Number: orphan.Number, Generation: orphan.Generation + 1})
	for text, c := range map[string]secret.Concealed{"the text": kept, "x": before, "y": after} {
		want(t, "RevealSecret(key)", k.MustReveal(t, caller.Caller{}, c.Secret.Key, ""), text)
	}
}

// A slot waiting for destruction is not free until it is struck off, even if
// the background pass finds no record that owns it.
func TestListedSlotIsNotReclaimed(t *testing.T) {
	t.Parallel()
	k, shares := faultyKit(t)
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{})
	slot := slotOf(t, k, kept.Secret.Key)
	k.Close(t)
	want(t, "Truncate(shares)", os.Truncate(filepath.Join(k.Dir, "shares"), int64(slot.Number+1)*64), nil)
	k.Reopen(t)
	failure := errors.New("no")
	shares.destroy.Store(&failure)
	wantErr(t, "RevealSecret(share not destroyed)", revealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), failure)
	want(t, "Reclaim()", k.MustReclaim(t), 0)
	shares.destroy.Store(nil)
	k.Reopen(t)
	next := k.MustConceal(t, caller.Caller{}, "y", secret.Wish{})
	k.MustReclaim(t)
	want(t, "RevealSecret(next)", k.MustReveal(t, caller.Caller{}, next.Secret.Key, ""), "y")
}

// When the outcome of a claim is unknown the text is withheld, whichever way
// it went.
func TestUnknownOutcomeWithholds(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		var faulty faultyStore
		k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
			faulty.Store = s
			return &faulty
		}})
		c := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
		failure := storage.ErrUnknownOutcome
		if kept {
			faulty.before.Store(&failure)
		} else {
			faulty.after.Store(&failure)
		}
		wantErr(t, "RevealSecret(unknown outcome)", revealErr(t, k, caller.Caller{}, c.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
		faulty.before.Store(nil)
		faulty.after.Store(nil)
		k.Reopen(t)
		if kept {
			want(t, "RevealSecret(not applied)", k.MustReveal(t, caller.Caller{}, c.Secret.Key, ""), "the text")
			continue
		}
		wantErr(t, "RevealSecret(applied)", revealErr(t, k, caller.Caller{}, c.Secret.Key.Expose(), ""), refusal.ErrNotFound)
		wantState(t, k, c.Metadata.Key, secret.StateReceived)
	}
}

// A pass that was broken off after it had met a record that it could not read
// frees no slot when it goes on: one of them may be that record's.
func TestPassRemembersDamage(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store { return quotaStore{s} }})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
	token, _ := seal.ParseToken(kept.Secret.Key.Expose())
	row := token.RowKey(seal.KindSecret)
	put(t, k.Store, vault.BucketSecret, row[:], []byte{1, 2, 3})
	k.Reopen(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := k.Vault.Sweeper.Reclaim(context.WithValue(ctx, interferenceKey{}, &interference{afterView: cancel}))
	wantErr(t, "Reclaim(ended in the middle)", err, context.Canceled)
	freed, err := k.Vault.Sweeper.Reclaim(t.Context())
	wantErr(t, "Reclaim(again)", err, rows.ErrDamaged)
	want(t, "slots freed", freed, 0)
}
