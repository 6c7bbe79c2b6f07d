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
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// Whatever stands in an index and cannot be read, of whatever kind and however
// much of it, keeps nothing else from its end. The log has one line for a
// bucket, with a count and without a key, and only once.
func TestSweepPassesDamageOfAnyKind(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	sound := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{TTL: new(time.Minute)})
	const each = vault.SweepBatch + 1
	start := k.Clock.Now()
	kinds := k.Vault.DueKinds()
	err := k.Store.Update(t.Context(), func(tx storage.Tx) error {
		for i := range each {
			for kind := range kinds + 2 { // one that is none on either side
				key := bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 16)
				if err := tx.Put(vault.BucketDue, vault.DueKey(start, byte(kind), key), nil); err != nil {
					return err
				}
				// Whatever it is about is damaged.
				if err := damageAll(tx, key); err != nil {
					return err
				}
			}
			var receipt seal.RowKey
			receipt[0], receipt[1] = byte(i), byte(i>>8)
			if err := tx.Put(vault.BucketMetadata, receipt[:], []byte("damaged")); err != nil {
				return err
			}
			if err := tx.Put(vault.BucketExpiry, vault.ExpiryKey(start, receipt), nil); err != nil {
				return err
			}
		}
		short := []byte{0, 0, 0, 0}
		return slices.Concat([]error{tx.Put(vault.BucketDue, short, nil)}, []error{tx.Put(vault.BucketExpiry, short, nil)})[0]
	})
	want(t, "Update(damage)", err, nil)
	last := vault.DueKey(start.Add(time.Second), 4, bytes.Repeat([]byte{0xff}, 32))
	put(t, k.Store, vault.BucketDue, last, []byte{})
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	want(t, "sound secret", secretRow(t, k, sound.Secret.Key) == nil, true)
	want(t, "row behind the damage", get(t, k.Store, vault.BucketDue, last) == nil, true)
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
	want(t, "the log counts receipts", strings.Contains(said, "bucket=expiry count=258"), true)
	k.MustSweep(t)
	want(t, "lines of the next sweep", log.String(), "")
}

// damageAll puts something unreadable under a key wherever things end by the
// index.
func damageAll(tx storage.Tx, key []byte) error {
	for _, bucket := range []string{
		vault.BucketSession, vault.BucketToken, vault.BucketTicket, vault.BucketFeedback, vault.BucketException,
		vault.BucketAccount, vault.BucketTries, vault.BucketDelivery,
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
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{TTL: new(time.Hour)})
	counts := get(t, k.Store, vault.BucketSystem, []byte(vault.SystemCounts))
	put(t, k.Store, vault.BucketSystem, []byte(vault.SystemCounts), []byte("damaged"))
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	want(t, "the secret is there", secretRow(t, k, kept.Secret.Key) != nil, true)
	want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 0)
	put(t, k.Store, vault.BucketSystem, []byte(vault.SystemCounts), counts)
	advanceInSteps(t, k, 25*time.Hour)
	want(t, "audit rows of ends", auditKinds(t, k)[rows.AuditExpire], 1)
	want(t, "KeptBytes()", k.Vault.KeptBytes(), 0)
}

// The defect: an overwrite that failed once was tried again only by the next
// start. The attack: take the disk in the meantime, with the link.
func TestFailedOverwriteIsTriedAgain(t *testing.T) {
	t.Parallel()
	k, shares := faultyKit(t)
	kept := k.MustConceal(t, caller.Caller{}, "the text", secret.Wish{})
	slot, share := slotOf(t, k, kept.Secret.Key), shareOf(t, k, kept.Secret.Key)
	failure := storage.ErrFull
	shares.destroy.Store(&failure)
	wantErr(t, "RevealSecret(share not destroyed)", revealErr(t, k, caller.Caller{}, kept.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
	k.MustSweep(t) // sees it on the list
	_, err := k.Vault.Sweep(t.Context())
	wantErr(t, "Sweep(share not destroyed)", err, refusal.ErrUnavailable)
	want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 1)
	shares.destroy.Store(nil)
	k.MustSweep(t)
	want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 0)
	wantShareGone(t, k.Dir, share)
	// The slot is free again, and it is free once.
	used := map[storage.Slot]bool{}
	for range 3 {
		next := k.MustConceal(t, caller.Caller{}, "next", secret.Wish{})
		at := slotOf(t, k, next.Secret.Key)
		want(t, "slot is used twice", used[at], false)
		used[at] = true
	}
	want(t, "slot is used again", used[storage.Slot{Number: slot.Number, Generation: slot.Generation + 1}], true)
}

// A strike-off that comes late must not take the row of the slot's next share:
// that share would never be destroyed, and its slot be handed out while it is
// read.
func TestLateStrikeOffLeavesTheNextShare(t *testing.T) {
	t.Parallel()
	k, shares := faultyKit(t)
	first := k.MustConceal(t, caller.Caller{}, "first", secret.Wish{})
	old := slotOf(t, k, first.Secret.Key)
	k.MustReveal(t, caller.Caller{}, first.Secret.Key, "")
	struckOff(t, k)
	var owner secret.Concealed
	for slot := (storage.Slot{}); slot.Number != old.Number; slot = slotOf(t, k, owner.Secret.Key) {
		owner = k.MustConceal(t, caller.Caller{}, "owner", secret.Wish{})
	}
	failure := storage.ErrFull
	shares.destroy.Store(&failure)
	wantErr(t, "RevealSecret(share not destroyed)", revealErr(t, k, caller.Caller{}, owner.Secret.Key.Expose(), ""), refusal.ErrUnavailable)
	want(t, "strike(late)", vault.Strike(t.Context(), k.Vault, []storage.Slot{old}), nil)
	want(t, "rows of the list", len(rowsIn(t, k.Store, vault.BucketShred)), 1)
	next := k.MustConceal(t, caller.Caller{}, "next", secret.Wish{})
	want(t, "slot is not free", slotOf(t, k, next.Secret.Key).Number != old.Number, true)
}
