package vault_test

import (
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// At the very moment of its end a secret is gone, whether or not the sweeper
// came.
func TestExpiryEdge(t *testing.T) {
	t.Parallel()
	for _, passphrase := range []caller.Text{"", "right"} {
		k := vaulttest.New(t, vaulttest.Options{Manual: true})
		early := k.MustConceal(t, caller.Caller{}, "early", secret.Wish{TTL: new(time.Minute), Passphrase: passphrase})
		late := k.MustConceal(t, caller.Caller{}, "late", secret.Wish{TTL: new(time.Minute), Passphrase: passphrase})
		k.Clock.Advance(time.Minute - time.Millisecond)
		want(t, "RevealSecret(1 ms early)", k.MustReveal(t, caller.Caller{}, early.Secret.Key, passphrase), "early")
		k.Clock.Advance(time.Millisecond)
		for range 2 {
			wantErr(t, "RevealSecret(at the end)", revealErr(t, k, caller.Caller{}, late.Secret.Key.Expose(), passphrase), refusal.ErrNotFound)
			_, err := k.Vault.Burns.BurnSecret(t.Context(), caller.Caller{}, late.Metadata.Key.Expose(), passphrase)
			wantErr(t, "BurnSecret(at the end)", err, refusal.ErrNotFound)
			_, err = k.Vault.Secrets.GetSecret(t.Context(), caller.Caller{}, late.Secret.Key.Expose())
			wantErr(t, "GetSecret(at the end)", err, refusal.ErrNotFound)
			wantState(t, k, late.Metadata.Key, secret.StateExpired)
			k.MustSweep(t)
		}
		want(t, "attempt rows", len(rowsIn(t, k.Store, vault.BucketAttempt)), 0)
	}
}

// One sweep ends all that expired, more than fit into one of its batches, and
// destroys their shares; what has time left stays.
func TestSweepEndsAllThatExpired(t *testing.T) {
	t.Parallel()
	const expiring = 600
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	lasting := k.MustConceal(t, caller.Caller{}, "lasting", secret.Wish{})
	slots := make([]storage.Slot, expiring)
	concealAll(t, k, slots)
	k.Clock.Advance(time.Minute)
	n, err := k.Vault.Sweep(t.Context())
	want(t, "Sweep()", err, nil)
	want(t, "Sweep()", n, expiring)
	want(t, "secrets kept", len(rowsIn(t, k.Store, vault.BucketSecret)), 1)
	for _, slot := range slots {
		_, err := k.Shares.Get(t.Context(), slot)
		wantErr(t, "Get(share of an expired secret)", err, storage.ErrShareGone)
	}
	want(t, "audit rows of ends", auditKinds(t, k)[rows.AuditExpire], expiring)
	want(t, "KeptBytes()", k.Vault.KeptBytes(), unit)
	n, err = k.Vault.Sweep(t.Context())
	want(t, "Sweep(again)", err, nil)
	want(t, "Sweep(again)", n, 0)
	want(t, "RevealSecret(lasting)", k.MustReveal(t, caller.Caller{}, lasting.Secret.Key, ""), "lasting")
}

// concealAll conceals a secret of a minute for each of slots and fills them in.
func concealAll(t *testing.T, k *vaulttest.Kit, slots []storage.Slot) {
	t.Helper()
	done := make(chan error)
	kept := make([]secret.Concealed, len(slots))
	for i := range slots {
		go func() {
			var err error
			kept[i], err = k.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "x", secret.Wish{TTL: new(time.Minute)})
			done <- err
		}()
	}
	for range slots {
		if err := <-done; err != nil {
			t.Fatalf("ConcealSecret(x): got %v, want nil", err)
		}
	}
	for i := range slots {
		slots[i] = slotOf(t, k, kept[i].Secret.Key)
	}
}

// A receipt outlives its secret, however that ended, and goes after twice the
// lifetime: at once for those who ask, and from the store with the sweeper.
func TestReceiptsAreForgotten(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	const life = 20 * time.Minute
	received := k.MustConceal(t, caller.Caller{}, "a", secret.Wish{TTL: new(life)})
	burned := k.MustConceal(t, caller.Caller{}, "b", secret.Wish{TTL: new(life)})
	expired := k.MustConceal(t, caller.Caller{}, "c", secret.Wish{TTL: new(life)})
	k.MustReveal(t, caller.Caller{}, received.Secret.Key, "")
	k.MustBurn(t, caller.Caller{}, burned.Metadata.Key, "")
	states := map[secret.State]secret.Concealed{
		secret.StateReceived: received, secret.StateBurned: burned, secret.StateExpired: expired,
	}
	k.Clock.Advance(life)
	k.MustSweep(t)
	k.Clock.Advance(life - time.Millisecond)
	k.MustSweep(t)
	for state, kept := range states {
		wantState(t, k, kept.Metadata.Key, state)
	}
	k.Clock.Advance(time.Millisecond)
	for range 2 {
		for _, kept := range states {
			_, err := k.Vault.Receipts.GetMetadata(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose())
			wantErr(t, "GetMetadata(forgotten)", err, refusal.ErrNotFound)
			_, err = k.Vault.Receipts.UpdateMemo(t.Context(), caller.Caller{}, kept.Metadata.Key.Expose(), "memo")
			wantErr(t, "UpdateMemo(forgotten)", err, refusal.ErrNotFound)
		}
		k.MustSweep(t)
	}
	want(t, "receipts kept", len(rowsIn(t, k.Store, vault.BucketMetadata)), 0)
	want(t, "rows of the index", len(rowsIn(t, k.Store, vault.BucketExpiry)), 0)
	want(t, "audit rows", len(rowsIn(t, k.Store, vault.BucketAudit)), 3+3)
}

// After a long time without a sweep a secret and its receipt go together.
func TestExpiredAndForgottenAtOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{TTL: new(time.Minute)})
	slot := slotOf(t, k, kept.Secret.Key)
	k.Clock.Advance(3 * time.Minute)
	k.MustSweep(t)
	_, err := k.Shares.Get(t.Context(), slot)
	wantErr(t, "Get(share)", err, storage.ErrShareGone)
	for _, bucket := range []string{vault.BucketSecret, vault.BucketMetadata, vault.BucketExpiry} {
		want(t, "rows of "+bucket, len(rowsIn(t, k.Store, bucket)), 0)
	}
}

// A record that cannot be read must not hold up the other secrets. It is
// postponed, nothing of it is lost, and its turn comes again.
func TestSweepPassesDamage(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	damaged := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{TTL: new(time.Minute)})
	sound := k.MustConceal(t, caller.Caller{}, "y", secret.Wish{TTL: new(time.Minute)})
	undo := replaceSecret(t, k, damaged, []byte("damaged"))
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	want(t, "audit rows of ends", auditKinds(t, k)[rows.AuditExpire], 1)
	if secretRow(t, k, sound.Secret.Key) != nil {
		t.Error("Sweep beside a damaged record: the sound secret is still there, want it gone")
	}
	undo()
	k.MustSweep(t)
	want(t, "audit rows of ends", auditKinds(t, k)[rows.AuditExpire], 1)
	advanceInSteps(t, k, 25*time.Hour)
	want(t, "audit rows of ends", auditKinds(t, k)[rows.AuditExpire], 2)
}

// advanceInSteps lets time pass as it does, with a sweep now and then.
func advanceInSteps(t *testing.T, k *vaulttest.Kit, d time.Duration) {
	t.Helper()
	for range int(d / (30 * time.Minute)) {
		k.Clock.Advance(30 * time.Minute)
		k.MustSweep(t)
	}
}

// A record that cannot be read hides its slot, so the pass must not free any:
// it might be the very slot. The other secrets are counted all the same.
func TestReclaimFreesNothingBesideDamage(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	damaged := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{})
	sound := k.MustConceal(t, caller.Caller{}, "y", secret.Wish{})
	undo := replaceSecret(t, k, damaged, []byte("damaged"))
	k.Reopen(t)
	if _, err := k.Vault.Sweeper.Reclaim(t.Context()); err == nil {
		t.Error("Reclaim(damaged record): got nil, want an error")
	}
	undo()
	for range 3 {
		k.MustConceal(t, caller.Caller{}, "z", secret.Wish{})
	}
	want(t, "value", k.MustReveal(t, caller.Caller{}, damaged.Secret.Key, ""), "x")
	want(t, "value", k.MustReveal(t, caller.Caller{}, sound.Secret.Key, ""), "y")
}

// A vault that runs by itself sweeps when it opens.
func TestSweepsByItself(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{})
	kept := k.MustConceal(t, caller.Caller{}, "x", secret.Wish{TTL: new(time.Minute)})
	k.Clock.Advance(time.Minute)
	k.Reopen(t)
	for secretRow(t, k, kept.Secret.Key) != nil {
		time.Sleep(time.Millisecond)
	}
	wantState(t, k, kept.Metadata.Key, secret.StateExpired)
}
