package vault_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/credential"
	"hush/vault/feedback"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/sweep"
	"hush/vault/ticket"
	"hush/vault/vaulttest"
)

// Whatever stands in an index and cannot be read, of whatever kind and however
// much of it, keeps nothing else from its end. The log has one line for a
// bucket, with a count and without a key, and only once.
func TestSweepPassesDamageOfAnyKind(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	sound := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	const each = rows.SweepBatch + 1
	start := k.Clock.Now()
	kinds := k.Vault.DueKinds()
	err := k.Store.Update(t.Context(), func(tx storage.Tx) error {
		for i := range each {
			for kind := range kinds + 2 { // one that is none on either side
				key := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 16)
				if err := tx.Put(sweep.BucketDue, sweep.DueKey(start, sweep.DueKind(kind), key), nil); err != nil {
					return err
				}
				// Whatever it is about is damaged.
				if err := damageAll(tx, key); err != nil {
					return err
				}
			}
			var row seal.RowKey
			row[0], row[1] = byte(i), byte(i>>8)
			if err := tx.Put(receipt.BucketMetadata, row[:], []byte("damaged")); err != nil {
				return err
			}
			if err := tx.Put(receipt.BucketExpiry, expiryKey(start, row), nil); err != nil {
				return err
			}
		}
		short := []byte{0, 0, 0, 0}
		return slices.Concat([]error{tx.Put(sweep.BucketDue, short, nil)}, []error{tx.Put(receipt.BucketExpiry, short, nil)})[0]
	})
	vaulttest.Want(t, "Update(damage)", err, nil)
	last := sweep.DueKey(start.Add(time.Second), 4, bytes.Repeat([]byte{0xff}, 32))
	vaulttest.Put(t, k.Store, sweep.BucketDue, last, []byte{})
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	vaulttest.Want(t, "sound secret", vaulttest.SecretRow(t, k, sound.Secret.Key) == nil, true)
	vaulttest.Want(t, "row behind the damage", vaulttest.Get(t, k.Store, sweep.BucketDue, last) == nil, true)
	said := log.String()
	log.Reset()
	buckets := 0
	for line := range strings.Lines(said) {
		if strings.Contains(line, "cannot be read") {
			buckets++
		}
	}
	if buckets == 0 || buckets > kinds+2 {
		t.Errorf("lines about damage: got %d, want one a bucket:\n%s", buckets, said)
	}
	vaulttest.Want(t, "the log counts receipts", strings.Contains(said, "bucket=expiry count=258"), true)
	k.MustSweep(t)
	vaulttest.Want(t, "lines of the next sweep", log.String(), "")
}

// damageAll puts something unreadable under a key wherever things end by the
// index.
func damageAll(tx storage.Tx, key []byte) error {
	for _, bucket := range []string{
		credential.BucketSession, credential.BucketToken, ticket.BucketTicket, feedback.BucketFeedback, feedback.BucketException,
		account.BucketAccount, password.BucketTries, outbox.BucketDelivery,
	} {
		for _, size := range []int{8, 16, 23, 32} {
			if err := tx.Put(bucket, key[:size], []byte("damaged")); err != nil {
				return err
			}
		}
	}
	return nil
}

// Damage that shows only after a secret's row was deleted undoes the deletion:
// there is no secret without its share listed, its audit row written and its
// bytes given back. It ends when its turn comes again.
func TestSweepUndoesHalfAnEnd(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	k.MustReclaim(t)
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Hour)})
	counts := vaulttest.Get(t, k.Store, rows.BucketSystem, []byte(counter.SystemCounts))
	vaulttest.Put(t, k.Store, rows.BucketSystem, []byte(counter.SystemCounts), []byte("damaged"))
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	vaulttest.Want(t, "the secret is there", vaulttest.SecretRow(t, k, kept.Secret.Key) != nil, true)
	vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 0)
	vaulttest.Put(t, k.Store, rows.BucketSystem, []byte(counter.SystemCounts), counts)
	vaulttest.AdvanceInSteps(t, k, 25*time.Hour)
	vaulttest.Want(t, "audit rows of ends", vaulttest.AuditKinds(t, k)[audit.Expire], 1)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
}

// The defect: an overwrite that failed once was tried again only by the next
// start. The attack: take the disk in the meantime, with the link.
func TestFailedOverwriteIsTriedAgain(t *testing.T) {
	t.Parallel()
	k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	share := vaulttest.ShareOf(t, k, kept.Secret.Key)
	failure := storage.ErrFull
	faulty.DestroyErr.Store(&failure)
	vaulttest.WantErr(t, "RevealSecret(share not destroyed)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
	k.MustSweep(t) // sees it on the list
	_, err := k.Vault.Sweep(t.Context())
	vaulttest.WantErr(t, "Sweep(share not destroyed)", err, refusal.ErrUnavailable)
	vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 1)
	faulty.DestroyErr.Store(nil)
	k.MustSweep(t)
	vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 0)
	vaulttest.WantShareGone(t, k, share)
}

// A slot whose share was destroyed at the second try is free again, and it is
// free once.
func TestSlotIsFreeAfterASecondTry(t *testing.T) {
	t.Parallel()
	k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{Folder: true})
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Terms{})
	slot := vaulttest.SlotOf(t, k, kept.Secret.Key)
	failure := storage.ErrFull
	faulty.DestroyErr.Store(&failure)
	vaulttest.WantErr(t, "RevealSecret(share not destroyed)", vaulttest.RevealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
	k.MustSweep(t) // sees it on the list
	faulty.DestroyErr.Store(nil)
	k.MustSweep(t)
	used := map[storage.Slot]bool{}
	for range 3 {
		next := k.MustConceal(t, caller.Caller{}, "next", secret.Terms{})
		at := vaulttest.SlotOf(t, k, next.Secret.Key)
		vaulttest.Want(t, "slot is used twice", used[at], false)
		used[at] = true
	}
	vaulttest.Want(t, "slot is used again", used[storage.Slot{Number: slot.Number, Generation: slot.Generation + 1}], true)
}

// A strike-off that comes late must not take the row of the slot's next share:
// that share would never be destroyed, and its slot be handed out while it is
// read.
func TestLateStrikeOffLeavesTheNextShare(t *testing.T) {
	t.Parallel()
	k, faulty := vaulttest.NewFaulty(t, vaulttest.Options{Folder: true})
	first := k.MustConceal(t, caller.Caller{}, "first", secret.Terms{})
	old := vaulttest.SlotOf(t, k, first.Secret.Key)
	k.MustReveal(t, caller.Caller{}, first.Secret.Key, "")
	vaulttest.AwaitShred(t, k)
	var owner secret.Concealed
	for slot := (storage.Slot{}); slot.Number != old.Number; slot = vaulttest.SlotOf(t, k, owner.Secret.Key) {
		owner = k.MustConceal(t, caller.Caller{}, "owner", secret.Terms{})
	}
	failure := storage.ErrFull
	faulty.DestroyErr.Store(&failure)
	vaulttest.WantErr(t, "RevealSecret(share not destroyed)", vaulttest.RevealErr(t, k, caller.Caller{}, owner.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
	vaulttest.Want(t, "strike(late)", vault.Strike(t.Context(), k.Vault, []storage.Slot{old}), nil)
	vaulttest.Want(t, "rows of the list", len(vaulttest.RowsIn(t, k.Store, shares.BucketShred)), 1)
	next := k.MustConceal(t, caller.Caller{}, "next", secret.Terms{})
	vaulttest.Want(t, "slot is not free", vaulttest.SlotOf(t, k, next.Secret.Key).Number != old.Number, true)
}

// expiryKey is the row of a receipt in the index of expiry.
func expiryKey(at time.Time, metadata seal.RowKey) []byte {
	return append(vaulttest.Number(uint64(at.UnixMilli())), metadata[:]...)
}
