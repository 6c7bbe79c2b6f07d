package secret_test

import (
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
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/vaulttest"
)

// The attack: crash the server after the commit and before the share is
// overwritten, then take the disk. The response was withheld, and the next
// start destroys the share before it serves requests.
func TestCrashBeforeShred(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *vaulttest.Kit, secret.Concealed) error{
		"reveal": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) error {
			t.Helper()
			return vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), "")
		},
		"burn": func(t *testing.T, k *vaulttest.Kit, kept secret.Concealed) error {
			t.Helper()
			got, err := k.Vault.Burns.BurnGuarded(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "")
			vaulttest.Want(t, "BurnGuarded(share not destroyed).State", got.State, receipt.StateNone)
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
			k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{})
			kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{TTL: new(time.Minute)})
			slot, share := vaulttest.SlotOf(t, k, kept.Secret.Key), vaulttest.ShareOf(t, k, kept.Secret.Key)
			w, err := k.Vault.Receipts.WatchMetadata(t.Context(), vaulttest.Caller(1), kept.Metadata.Key.Expose())
			vaulttest.Want(t, "WatchMetadata(key)", err, nil)
			t.Cleanup(w.Close)
			failure := storage.ErrUnknownOutcome
			faulty.DestroyErr.Store(&failure)
			vaulttest.WantErr(t, name+"(share not destroyed)", end(t, k, kept), refusal.ErrUnavailable)
			vaulttest.WantErr(t, "RevealSecret(again)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrNotFound)
			vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 1)
			vaulttest.Want(t, "changes of a watch", len(w.Changed()), 1)

			k.Close(t)
			vaulttest.Want(t, "share is stored", k.Holds(t, share[:]), true)
			faulty.DestroyErr.Store(nil)
			k.Reopen(t)
			vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 0)
			_, err = k.Shares.Get(t.Context(), slot)
			vaulttest.WantErr(t, "Get(listed share)", err, storage.ErrShareGone)
			vaulttest.WantShareGone(t, k, share)
		})
	}
}

// As long as listed shares cannot be destroyed, the service does not start.
func TestStartNeedsTheShred(t *testing.T) {
	t.Parallel()
	k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	failure := errors.New("no")
	faulty.DestroyErr.Store(&failure)
	vaulttest.WantErr(t, "RevealSecret(share not destroyed)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), failure)
	opts := k.VaultOptions()
	opts.Shares = faulty
	_, err := vault.Open(t.Context(), opts)
	vaulttest.WantErr(t, "Open(share not destroyed)", err, failure)
	vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 1)
	faulty.DestroyErr.Store(nil)
}

// A row of the list that is older than what its slot holds is struck off, and
// the slot's owner keeps its share.
func TestListedSlotOfAnother(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	first := k.MustConceal(t, caller.Caller{}, "first", secret.Terms{})
	old := vaulttest.SlotOf(t, k, first.Secret.Key)
	k.MustReveal(t, caller.Caller{}, first.Secret.Key, "")
	vaulttest.AwaitShred(t, k)
	var owner secret.Concealed
	for slot := (storage.Slot{}); slot.Number != old.Number; slot = vaulttest.SlotOf(t, k, owner.Secret.Key) {
		owner = k.MustConceal(t, caller.Caller{}, "owner", secret.Terms{})
	}
	vaulttest.Put(t, k.Store, shares.BucketShred, vaulttest.Number(old.Number), vaulttest.Number(old.Generation))
	k.Reopen(t)
	vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 0)
	k.MustReclaim(t)
	for range 3 {
		k.MustConceal(t, caller.Caller{}, "others", secret.Terms{})
	}
	vaulttest.Want(t, "RevealSecret(owner)", k.MustReveal(t, caller.Caller{}, owner.Secret.Key, ""), "owner")
}

// A share whose record was never kept is lost space until the background pass
// finds it, and then the next secret takes its slot.
func TestOrphanedSlotIsUsedAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	orphan, err := k.Shares.Put(t.Context(), [storage.ShareSize]byte{1, 2, 3})
	vaulttest.Want(t, "Put(share)", err, nil)
	k.Close(t)
	// Without the slots that were never used, of which there are many.
	path := filepath.Join(k.Dir, "shares")
	vaulttest.Want(t, "Truncate(shares)", os.Truncate(path, int64(orphan.Number+1)*64), nil)
	k.Reopen(t)
	before := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	vaulttest.Want(t, "slot before the pass is new", vaulttest.SlotOf(t, k, before.Secret.Key).Number > orphan.Number, true)
	vaulttest.Want(t, "Reclaim()", k.MustReclaim(t), 1)
	after := k.MustConceal(t, caller.Caller{}, "y", secret.Terms{})
	vaulttest.Want(t, "slot after the pass", vaulttest.SlotOf(t, k, after.Secret.Key), storage.Slot{Number: orphan.Number, Generation: orphan.Generation + 1})
	for text, c := range map[string]secret.Concealed{"the text": kept, "x": before, "y": after} {
		vaulttest.Want(t, "RevealSecret(key)", k.MustReveal(t, caller.Caller{}, c.Secret.Key, ""), text)
	}
}

// A slot waiting for destruction is not free until it is struck off, even if
// the background pass finds no record that owns it.
func TestListedSlotIsNotReclaimed(t *testing.T) {
	t.Parallel()
	k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{Folder: true})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	slot := vaulttest.SlotOf(t, k, kept.Secret.Key)
	k.Close(t)
	vaulttest.Want(t, "Truncate(shares)", os.Truncate(filepath.Join(k.Dir, "shares"), int64(slot.Number+1)*64), nil)
	k.Reopen(t)
	failure := errors.New("no")
	faulty.DestroyErr.Store(&failure)
	vaulttest.WantErr(t, "RevealSecret(share not destroyed)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), failure)
	vaulttest.Want(t, "Reclaim()", k.MustReclaim(t), 0)
	faulty.DestroyErr.Store(nil)
	k.Reopen(t)
	next := k.MustConceal(t, caller.Caller{}, "y", secret.Terms{})
	k.MustReclaim(t)
	vaulttest.Want(t, "RevealSecret(next)", k.MustReveal(t, caller.Caller{}, next.Secret.Key, ""), "y")
}

// When the outcome of a commit is unknown the text is withheld, whichever way
// it went.
func TestUnknownOutcomeWithholds(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		var faulty vaulttest.FaultyStore
		k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
			faulty.Store = s
			return &faulty
		}})
		c := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
		failure := storage.ErrUnknownOutcome
		if kept {
			faulty.Before.Store(&failure)
		} else {
			faulty.After.Store(&failure)
		}
		vaulttest.WantErr(t, "RevealSecret(unknown outcome)", vaulttest.RevealErr(t, k, caller.Caller{}, c.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
		faulty.Before.Store(nil)
		faulty.After.Store(nil)
		k.Reopen(t)
		if kept {
			vaulttest.Want(t, "RevealSecret(not applied)", k.MustReveal(t, caller.Caller{}, c.Secret.Key, ""), "the text")
			continue
		}
		vaulttest.WantErr(t, "RevealSecret(applied)", vaulttest.RevealErr(t, k, caller.Caller{}, c.Secret.Key.Expose(), ""), refusal.ErrNotFound)
		vaulttest.WantState(t, k, c.Metadata.Key, receipt.StateReceived)
	}
}

// A pass that was broken off after it had met a record that it could not read
// frees no slot when it goes on: one of them may be that record's.
func TestPassRemembersDamage(t *testing.T) {
	t.Parallel()
	between := betweenStore{bucket: secret.BucketSecret}
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true, WrapStore: func(s storage.Store) storage.Store {
		between.Store = s
		return &between
	}})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	token, _ := seal.ParseToken(kept.Secret.Key.Expose())
	row := token.RowKey(seal.KindSecret)
	vaulttest.Put(t, k.Store, secret.BucketSecret, row[:], []byte{1, 2, 3})
	k.Reopen(t)
	ctx, cancel := context.WithCancel(t.Context())
	between.then = cancel
	_, err := k.Vault.Sweeper.Reclaim(ctx)
	vaulttest.WantErr(t, "Reclaim(ended in the middle)", err, context.Canceled)
	freed, err := k.Vault.Sweeper.Reclaim(t.Context())
	vaulttest.WantErr(t, "Reclaim(again)", err, rows.ErrDamaged)
	vaulttest.Want(t, "slots freed", freed, 0)
}
