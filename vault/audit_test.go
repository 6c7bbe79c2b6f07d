package vault_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/vaulttest"
)

// audits returns the trail.
func audits(t *testing.T, k *vaulttest.Kit) (trail []vault.AuditRow) {
	t.Helper()
	for _, row := range rows(t, k.Store, vault.BucketAudit) {
		audit, err := vault.AuditOf(row)
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
		return tx.Range(vault.BucketAudit, nil, nil, func(key, _ []byte) error {
			want(t, "number of audit row", string(key), string(number(next)))
			next++
			return nil
		})
	})
	want(t, "View(audit)", err, nil)
}

func number(n uint64) []byte {
	return []byte{byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
}

// Each change leaves one row, and what changes nothing leaves none, even if
// the store runs every transaction twice.
func TestAuditTrail(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store { return twiceStore{s} }})
	k.MustReclaim(t)
	var wanted []vault.AuditRow
	expect := func(kept vault.Concealed, kinds ...vault.AuditType) {
		for _, kind := range kinds {
			wanted = append(wanted, vault.AuditRow{
				TimeMillis: uint64(k.Clock.Now().UnixMilli()), Kind: kind,
				Result: vault.AuditDone, Subject: kept.Metadata.Key.RowKey(seal.KindMetadata),
			})
		}
		k.Clock.Advance(time.Second)
	}
	c := vaulttest.Caller(1)
	a := k.MustConceal(t, c, "a", vault.Wish{})
	expect(a, vault.AuditConceal)
	b := k.MustConceal(t, c, "b", vault.Wish{Passphrase: "right"})
	expect(b, vault.AuditConceal)
	short := k.MustConceal(t, c, "c", vault.Wish{TTL: new(time.Minute)})
	expect(short, vault.AuditConceal)
	k.MustMetadata(t, c, a.Metadata.Key)
	expect(a, vault.AuditView)
	k.MustMetadata(t, c, a.Metadata.Key)
	_, err := k.Vault.UpdateMemo(t.Context(), c, a.Metadata.Key.Expose(), "memo")
	want(t, "UpdateMemo(key)", err, nil)
	expect(a, vault.AuditMemo)
	k.MustReveal(t, c, a.Secret.Key, "")
	expect(a, vault.AuditReveal)
	wantErr(t, "RevealSecret(again)", revealErr(t, k, c, a.Secret.Key.Expose(), ""), vault.ErrNotFound)
	wantPassphrase(t, "RevealSecret(wrong)", revealErr(t, k, c, b.Secret.Key.Expose(), "wrong"), &vault.PassphraseError{TriesLeft: 4})
	expect(b, vault.AuditPassphrase)
	_ = revealErr(t, k, c, b.Secret.Key.Expose(), "")
	k.MustBurn(t, c, b.Metadata.Key, "right")
	expect(b, vault.AuditPassphrase, vault.AuditBurn)
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	expect(short, vault.AuditExpire)

	if diff := cmp.Diff(wanted, audits(t, k)); diff != "" {
		t.Errorf("audit trail: -want +got\n%s", diff)
	}
	wantConsecutive(t, k, 1)
	want(t, "KeptBytes()", k.Vault.KeptBytes(), 0)
	k.Reopen(t)
	k.MustConceal(t, c, "d", vault.Wish{})
	wantConsecutive(t, k, 1)
}

// An update that failed leaves no row and takes no number.
func TestFailedChangeLeavesNoAudit(t *testing.T) {
	t.Parallel()
	var faulty faultyStore
	k := vaulttest.New(t, vaulttest.Options{Manual: true, WrapStore: func(s storage.Store) storage.Store {
		faulty.Store = s
		return &faulty
	}})
	c := vaulttest.Caller(1)
	kept := k.MustConceal(t, c, "x", vault.Wish{})
	failure := storage.ErrFull
	faulty.before.Store(&failure)
	for name, try := range map[string]func() error{
		"ConcealSecret": func() error {
			_, err := k.Vault.ConcealSecret(t.Context(), c, "y", vault.Wish{})
			return err
		},
		"GetMetadata": func() error {
			_, err := k.Vault.GetMetadata(t.Context(), c, kept.Metadata.Key.Expose())
			return err
		},
		"UpdateMemo": func() error {
			_, err := k.Vault.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), "memo")
			return err
		},
		"RevealSecret": func() error { return revealErr(t, k, c, kept.Secret.Key.Expose(), "") },
		"BurnSecret": func() error {
			_, err := k.Vault.BurnSecret(t.Context(), c, kept.Metadata.Key.Expose(), "")
			return err
		},
	} {
		wantErr(t, name+"(full disk)", try(), vault.ErrUnavailable)
	}
	faulty.before.Store(nil)
	want(t, "audit rows", len(audits(t, k)), 1)
	wantState(t, k, kept.Metadata.Key, vault.StateNew)
	wantConsecutive(t, k, 1)
	want(t, "RevealSecret(key)", k.MustReveal(t, c, kept.Secret.Key, ""), "x")
}

// Rows are kept for as long as the operator says, 90 days by default, and the
// numbers go on behind those that went. One sweep deletes whatever is too old,
// many batches of it.
func TestAuditPruning(t *testing.T) {
	t.Parallel()
	const day, old = 24 * time.Hour, 1500
	for keep, option := range map[time.Duration]time.Duration{90 * day: 0, 400 * day: 400 * day} {
		k := vaulttest.New(t, vaulttest.Options{Manual: true, AuditKeep: option})
		concealAll(t, k, make([]storage.Slot, old))
		k.Clock.Advance(time.Hour)
		k.MustSweep(t) // all of them expire
		want(t, "audit rows", len(audits(t, k)), 2*old)
		leap(t, k, keep-time.Hour-10*time.Minute)
		want(t, "audit rows before their time", len(audits(t, k)), 2*old)
		k.Clock.Advance(10*time.Minute + time.Millisecond)
		k.MustSweep(t)
		want(t, "audit rows of concealing after their time", auditKinds(t, k)[vault.AuditConceal], 0)
		want(t, "audit rows of ends before their time", auditKinds(t, k)[vault.AuditExpire], old)
		wantConsecutive(t, k, old+1)
		k.MustConceal(t, vault.Caller{}, "x", vault.Wish{})
		wantConsecutive(t, k, old+1)
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
	concealAll(t, k, make([]storage.Slot, 20))
	trail := rows(t, k.Store, vault.BucketAudit)
	for _, n := range []uint64{1, 2, 9} {
		put(t, k.Store, vault.BucketAudit, number(n), []byte("damaged"))
	}
	leapt := append([]byte{}, trail[10]...)
	leapt[1] = 1 // the first byte of its time in milliseconds
	put(t, k.Store, vault.BucketAudit, number(11), leapt)
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	put(t, k.Store, vault.BucketAudit, number(21), []byte("damaged"))
	leap(t, k, 90*day-30*time.Minute)
	want(t, "audit rows", len(rows(t, k.Store, vault.BucketAudit)), 20)
	want(t, "lines of the log", strings.Count(log.String(), "bucket=audit count=3"), 1)
	want(t, "lines about damage", strings.Count(log.String(), "cannot be read"), 1)
	k.Clock.Advance(time.Hour)
	k.MustSweep(t)
	want(t, "audit rows after all their time", len(rows(t, k.Store, vault.BucketAudit)), 0)
}
