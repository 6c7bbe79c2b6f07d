package audit_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// audits returns the trail.
func audits(t *testing.T, k *vaulttest.Kit) (trail []audit.Record) {
	t.Helper()
	for _, row := range vaulttest.RowsIn(t, k.Store, audit.BucketAudit) {
		audit, err := audit.Decode(row)
		if err != nil {
			t.Fatalf("AuditOf(row): got %v, want nil", err)
		}
		trail = append(trail, audit)
	}
	return trail
}

// wantConsecutive fails the test unless the trail's numbers have no gap.
func wantConsecutive(t *testing.T, k *vaulttest.Kit, first uint64) {
	t.Helper()
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		next := first
		return tx.Range(audit.BucketAudit, nil, nil, func(key, _ []byte) error {
			vaulttest.Want(t, "number of audit row", string(key), string(vaulttest.Number(next)))
			next++
			return nil
		})
	})
	vaulttest.Want(t, "View(audit)", err, nil)
}

// Each change leaves one row, and what changes nothing leaves none, even if
// the store runs every transaction twice.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	k.MustReclaim(t)
	var wanted []audit.Record
	expect := func(kept secret.Concealed, kinds ...audit.Type) {
		for _, kind := range kinds {
			wanted = append(wanted, audit.Record{
				Time: k.Clock.Now(), Kind: kind,
				Result: audit.Done, Subject: kept.Metadata.Key.RowKey(seal.KindMetadata),
			})
		}
		k.Clock.Advance(time.Second)
	}
	c := vaulttest.Caller(1)
	a := k.MustConceal(t, c, "a", secret.Terms{})
	expect(a, audit.Conceal)
	b := k.MustConceal(t, c, "b", secret.Terms{Passphrase: "right"})
	expect(b, audit.Conceal)
	short := k.MustConceal(t, c, "c", secret.Terms{TTL: new(time.Minute)})
	expect(short, audit.Conceal)
	k.MustMetadata(t, c, a.Metadata.Key)
	expect(a, audit.View)
	k.MustMetadata(t, c, a.Metadata.Key)
	_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, a.Metadata.Key.Expose(), "memo")
	vaulttest.Want(t, "UpdateMemo(key)", err, nil)
	expect(a, audit.Memo)
	k.MustReveal(t, c, a.Secret.Key, "")
	expect(a, audit.Reveal)
	vaulttest.WantErr(t, "RevealSecret(again)", vaulttest.RevealErr(t, k, c, a.Secret.Key.Expose(), ""), refusal.ErrNotFound)
	vaulttest.WantPassphrase(t, "RevealSecret(wrong)", vaulttest.RevealErr(t, k, c, b.Secret.Key.Expose(), "wrong"), &refusal.PassphraseError{TriesLeft: 4})
	expect(b, audit.Passphrase)
	_ = vaulttest.RevealErr(t, k, c, b.Secret.Key.Expose(), "")
	k.MustBurn(t, c, b.Metadata.Key, "right")
	expect(b, audit.Passphrase, audit.Burn)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	expect(short, audit.Expire)

	if diff := cmp.Diff(wanted, audits(t, k)); diff != "" {
		t.Errorf("audit trail: -want +got\n%s", diff)
	}
	wantConsecutive(t, k, 1)
	vaulttest.Want(t, "KeptBytes()", k.MustLiveBytes(t), 0)
	k.Reopen(t)
	k.MustConceal(t, c, "d", secret.Terms{})
	wantConsecutive(t, k, 1)
}

// An update that failed leaves no row and takes no number.
func TestFailedChangeLeavesNoAudit(t *testing.T) {
	t.Parallel()
	var faulty vaulttest.FaultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		faulty.Store = s
		return &faulty
	}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "x", secret.Terms{})
	failure := storage.ErrFull
	faulty.Before.Store(&failure)
	for name, try := range map[string]func() error{
		"ConcealSecret": func() error {
			_, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, "y", secret.Terms{})
			return err
		},
		"GetMetadata": func() error {
			_, err := k.Vault.Receipts.GetMetadata(t.Context(), c, kept.Metadata.Key.Expose())
			return err
		},
		"UpdateMemo": func() error {
			_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "memo")
			return err
		},
		"RevealSecret": func() error { return vaulttest.RevealErr(t, k, c, kept.Secret.Key.Expose(), "") },
		"BurnSecret": func() error {
			_, err := k.Vault.Burns.BurnGuarded(t.Context(), c, kept.Metadata.Key.Expose(), "")
			return err
		},
	} {
		vaulttest.WantErr(t, name+"(full disk)", try(), refusal.ErrUnavailable)
	}
	faulty.Before.Store(nil)
	vaulttest.Want(t, "audit rows", len(audits(t, k)), 1)
	vaulttest.WantState(t, k, kept.Metadata.Key, receipt.StateNew)
	wantConsecutive(t, k, 1)
	vaulttest.Want(t, "RevealSecret(key)", k.MustReveal(t, c, kept.Secret.Key, ""), "x")
}

// Rows are kept for as long as the operator says, 90 days by default, and the
// numbers go on behind those that went. One sweep deletes whatever is too old,
// many batches of it.
func TestAuditPruning(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	old := 1500
	if testing.Short() {
		old = 1100 // more than one window of a sweep
	}
	for keep, option := range map[time.Duration]time.Duration{90 * day: 0, 400 * day: 400 * day} {
		k := vaulttest.New(t, vaulttest.Options{Manual: true, AuditKeep: option})
		vaulttest.MustConcealAll(t, k, make([]storage.Slot, old))
		k.Clock.Advance(time.Hour)
		k.MustSweep(t) // all of them expire
		vaulttest.Want(t, "audit rows", len(audits(t, k)), 2*old)
		leap(t, k, keep-time.Hour-10*time.Minute)
		vaulttest.Want(t, "audit rows before their time", len(audits(t, k)), 2*old)
		k.Clock.Advance(10*time.Minute + time.Millisecond)
		k.MustSweep(t)
		vaulttest.Want(t, "audit rows of concealing after their time", vaulttest.AuditKinds(t, k)[audit.Conceal], 0)
		vaulttest.Want(t, "audit rows of ends before their time", vaulttest.AuditKinds(t, k)[audit.Expire], old)
		wantConsecutive(t, k, uint64(old)+1)
		k.MustConceal(t, caller.Caller{}, "x", secret.Terms{})
		wantConsecutive(t, k, uint64(old)+1)
	}
}

// leap lets time pass that the sweeper has to be convinced of.
func leap(t *testing.T, k *vaulttest.Kit, d time.Duration) {
	t.Helper()
	k.Clock.Advance(d)
	for range 3 {
		k.MustSweep(t)
		k.Clock.Advance(time.Minute)
	}
	k.Clock.Advance(-3 * time.Minute)
}

// Rows that cannot be read, and rows of a clock that had leapt, go with their
// neighbours. They keep none of them, and the log has one line for all.
func TestAuditPruningPassesDamage(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	vaulttest.MustConcealAll(t, k, make([]storage.Slot, 20))
	trail := vaulttest.RowsIn(t, k.Store, audit.BucketAudit)
	for _, n := range []uint64{1, 2, 9} {
		vaulttest.Put(t, k.Store, audit.BucketAudit, vaulttest.Number(n), []byte("damaged"))
	}
	leapt := append([]byte{}, trail[10]...)
	leapt[1] = 1 // the first byte of its time in milliseconds
	vaulttest.Put(t, k.Store, audit.BucketAudit, vaulttest.Number(11), leapt)
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	vaulttest.Put(t, k.Store, audit.BucketAudit, vaulttest.Number(21), []byte("damaged"))
	leap(t, k, 90*day-30*time.Minute)
	vaulttest.Want(t, "audit rows", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 20)
	vaulttest.Want(t, "lines of the log", strings.Count(log.String(), "bucket=audit count=3"), 1)
	vaulttest.Want(t, "lines about damage", strings.Count(log.String(), "cannot be read"), 1)
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	vaulttest.Want(t, "audit rows after all their time", len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)), 0)
}
