package secret_test

import (
	"testing"
	"time"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// At the very moment of its end a secret is gone, whether or not the sweeper
// came.
func TestExpiryEdge(t *testing.T) {
	t.Parallel()
	for _, entered := range []caller.Text{"", "right"} {
		k := vaulttest.New(t, vaulttest.Options{Manual: true})
		early := k.MustConceal(t, caller.Caller{}, "early", secret.Terms{TTL: new(time.Minute), Passphrase: entered})
		late := k.MustConceal(t, caller.Caller{}, "late", secret.Terms{TTL: new(time.Minute), Passphrase: entered})
		k.Clock.Advance(time.Minute - time.Millisecond)
		vaulttest.Want(t, "RevealSecret(1 ms early)", k.MustReveal(t, caller.Caller{}, early.Secret.Key, entered), "early")
		k.Clock.Advance(time.Millisecond)
		for range 2 {
			vaulttest.WantErr(t, "RevealSecret(at the end)", vaulttest.RevealErr(t, k, caller.Caller{}, late.Secret.Key.Expose(), entered), refusal.ErrNotFound)
			_, err := k.Vault.Burns.BurnGuarded(t.Context(), caller.Caller{}, late.Metadata.Key.Expose(), entered)
			vaulttest.WantErr(t, "BurnGuarded(at the end)", err, refusal.ErrNotFound)
			_, err = k.Vault.Secrets.GetSecret(t.Context(), caller.Caller{}, late.Secret.Key.Expose())
			vaulttest.WantErr(t, "GetSecret(at the end)", err, refusal.ErrNotFound)
			vaulttest.WantState(t, k, late.Metadata.Key, receipt.StateExpired)
			k.MustSweep(t)
		}
		vaulttest.Want(t, "attempt rows", len(vaulttest.RowsIn(t, k.Store, passphrase.BucketAttempt)), 0)
	}
}

// One sweep ends all that expired, more than fit into one of its batches, and
// destroys their shares; what has time left stays.
func TestSweepEndsAllThatExpired(t *testing.T) {
	t.Parallel()
	const expiring = 600
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	lasting := k.MustConceal(t, caller.Caller{}, "lasting", secret.Terms{})
	slots := make([]storage.Slot, expiring)
	vaulttest.MustConcealAll(t, k, slots)
	k.Clock.Advance(time.Minute)
	n, err := k.Vault.Sweep(t.Context())
	vaulttest.Want(t, "Sweep()", err, nil)
	vaulttest.Want(t, "Sweep()", n, expiring)
	vaulttest.Want(t, "secrets kept", len(vaulttest.RowsIn(t, k.Store, secret.BucketSecret)), 1)
	for _, slot := range slots {
		_, err := k.Shares.Get(t.Context(), slot)
		vaulttest.WantErr(t, "Get(share of an expired secret)", err, storage.ErrShareGone)
	}
	vaulttest.Want(t, "audit rows of ends", vaulttest.AuditKinds(t, k)[audit.Expire], expiring)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), unit)
	n, err = k.Vault.Sweep(t.Context())
	vaulttest.Want(t, "Sweep(again)", err, nil)
	vaulttest.Want(t, "Sweep(again)", n, 0)
	vaulttest.Want(t, "RevealSecret(lasting)", k.MustReveal(t, caller.Caller{}, lasting.Secret.Key, ""), "lasting")
}

// A receipt outlives its secret, however that ended, and goes after twice the
// lifetime: at once for those who ask, and from the store with the sweeper.
func TestReceiptsAreForgotten(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	const life = 20 * time.Minute
	received := k.MustConceal(t, caller.Caller{}, "a", secret.Terms{TTL: new(life)})
	burned := k.MustConceal(t, caller.Caller{}, "b", secret.Terms{TTL: new(life)})
	expired := k.MustConceal(t, caller.Caller{}, "c", secret.Terms{TTL: new(life)})
	k.MustReveal(t, caller.Caller{}, received.Secret.Key, "")
	k.MustBurn(t, caller.Caller{}, burned.Metadata.Key, "")
	states := map[receipt.State]secret.Concealed{
		receipt.StateReceived: received, receipt.StateBurned: burned, receipt.StateExpired: expired,
	}
	k.Clock.Advance(life)
	k.MustSweep(t)
	k.Clock.Advance(life - time.Millisecond)
	k.MustSweep(t)
	for state, kept := range states {
		vaulttest.WantState(t, k, kept.Metadata.Key, state)
	}
	k.Clock.Advance(time.Millisecond)
	for range 2 {
		for _, kept := range states {
			_, err := k.Vault.Receipts.GetMetadata(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose())
			vaulttest.WantErr(t, "GetMetadata(forgotten)", err, refusal.ErrNotFound)
			_, err = k.Vault.Receipts.UpdateMemo(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "memo")
			vaulttest.WantErr(t, "UpdateMemo(forgotten)", err, refusal.ErrNotFound)
		}
		k.MustSweep(t)
	}
	vaulttest.Want(t, "receipts kept", len(vaulttest.RowsIn(t, k.Store, receipt.BucketMetadata)), 0)
	vaulttest.Want(t, "rows of the index", len(vaulttest.RowsIn(t, k.Store, receipt.BucketExpiry)), 0)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 3+3)
}

// After a long time without a sweep a secret and its receipt go together.
func TestExpiredAndForgottenAtOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	slot := vaulttest.SlotOf(t, k, kept.Secret.Key)
	k.Clock.Advance(3 * time.Minute)
	k.MustSweep(t)
	_, err := k.Shares.Get(t.Context(), slot)
	vaulttest.WantErr(t, "Get(share)", err, storage.ErrShareGone)
	for _, bucket := range []string{secret.BucketSecret, receipt.BucketMetadata, receipt.BucketExpiry} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
}

// A record that cannot be read must not hold up the other secrets. It is
// postponed, nothing of it is lost, and its turn comes again.
func TestSweepPassesDamage(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	damaged := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	sound := k.MustConceal(t, caller.Caller{}, "y", secret.Terms{TTL: new(time.Minute)})
	undo := replaceSecret(t, k, damaged, []byte("damaged"))
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	vaulttest.Want(t, "audit rows of ends", vaulttest.AuditKinds(t, k)[audit.Expire], 1)
	if vaulttest.SecretRow(t, k, sound.Secret.Key) != nil {
		t.Error("Sweep beside a damaged record: the sound secret is still there, want it gone")
	}
	undo()
	k.MustSweep(t)
	vaulttest.Want(t, "audit rows of ends", vaulttest.AuditKinds(t, k)[audit.Expire], 1)
	vaulttest.AdvanceInSteps(t, k, 25*time.Hour)
	vaulttest.Want(t, "audit rows of ends", vaulttest.AuditKinds(t, k)[audit.Expire], 2)
}

// A record that cannot be read hides its slot, so the pass must not free any:
// it might be the very slot. The other secrets are counted all the same.
func TestReclaimFreesNothingBesideDamage(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	damaged := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
	sound := k.MustConceal(t, caller.Caller{}, "y", secret.Terms{})
	undo := replaceSecret(t, k, damaged, []byte("damaged"))
	k.Reopen(t)
	if _, err := k.Vault.Sweeper.Reclaim(t.Context()); err == nil {
		t.Error("Reclaim(damaged record): got nil, want an error")
	}
	undo()
	for range 3 {
		k.MustConceal(t, caller.Caller{}, "z", secret.Terms{})
	}
	vaulttest.Want(t, "value", k.MustReveal(t, caller.Caller{}, damaged.Secret.Key, ""), "x")
	vaulttest.Want(t, "value", k.MustReveal(t, caller.Caller{}, sound.Secret.Key, ""), "y")
}

// A vault that runs by itself sweeps when it opens.
func TestSweepsByItself(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Terms{TTL: new(time.Minute)})
	k.Clock.Advance(time.Minute)
	k.Reopen(t)
	for vaulttest.SecretRow(t, k, kept.Secret.Key) != nil {
		time.Sleep(time.Millisecond)
	}
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateExpired)
}
