package doctor_test

import (
	"context"
	"testing"

	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
	"hush/vault/doctor"
	"hush/vault/exam"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// A secret is opened after the rows' moment and before the slots are read: its row had a
// share, and its slot has none. That is no finding. The share of a secret that still
// waits is one, and so is that of a queued mail.
func TestSharesThatEndMeanwhile(t *testing.T) {
	t.Parallel()
	k := filled(t, true)
	store, isBolt := k.Store.(*bolt.Store)
	slots, also := k.Shares.(*sharefile.File)
	if !isBolt || !also {
		t.Fatalf("filled(): got %T and %T, want those of a folder", k.Store, k.Shares)
	}
	f := folder{store: k.Store}
	opened := k.MustConceal(t, vaulttest.Caller(7), vaulttest.Plaintext, secret.Terms{})
	examine := func(meanwhile func()) *doctor.Findings {
		found := doctor.NewFindings()
		err := doctor.Examine(t.Context(), doctor.Options{
			Store: store, Served: true, Now: k.Clock.Now(), Findings: found,
			Prepare: func(opts *doctor.Options) (err error) {
				meanwhile()
				opts.Keys = k.Keys.Detached()
				opts.Slots, err = slots.Slots(t.Context())
				return err
			},
		})
		vaulttest.Want(t, "Examine()", err, nil)
		return found
	}
	waiting := len(f.rows(t, secret.BucketSecret))
	found := examine(func() {
		k.MustReveal(t, vaulttest.Caller(7), opened.Secret.Key, "")
		vaulttest.AwaitShred(t, k)
		k.MustConceal(t, vaulttest.Caller(7), vaulttest.Plaintext, secret.Terms{})
	})
	vaulttest.Want(t, "errors and warnings beside a service", found.Count(doctor.LevelError)+found.Count(doctor.LevelWarning), 0)
	now := f.rows(t, secret.BucketSecret)
	vaulttest.Want(t, "secrets after one was opened and one created", len(now), waiting)
	lost := slotOf(now[0].value)
	found = examine(func() { vaulttest.Want(t, "Destroy()", slots.Destroy(t.Context(), lost), nil) })
	groups := found.Groups()
	if len(groups) == 0 || groups[0].Code != exam.CodeShareMissing || groups[0].Count != 1 || found.Count(doctor.LevelError) != 1 {
		t.Errorf("Examine() after slot %d was lost: got %+v, want it missing for one secret", lost.Number, groups)
	}
}

// A snapshot of a store examines as its view does.
func TestSnapshotIsExamined(t *testing.T) {
	t.Parallel()
	k := filled(t, true)
	store, ok := k.Store.(*bolt.Store)
	if !ok {
		t.Fatalf("filled(): got %T, want the store of a folder", k.Store)
	}
	rows := func(store storage.Viewer) int64 {
		found := doctor.NewFindings()
		vaulttest.Want(t, "Examine()", doctor.Examine(t.Context(), doctor.Options{Store: store, Served: true, Now: k.Clock.Now(), Findings: found}), nil)
		vaulttest.Want(t, "errors", found.Count(doctor.LevelError), 0)
		return found.Rows
	}
	vaulttest.Want(t, "rows of a snapshot", rows(snapshots{store}), rows(store))
}

// snapshots are the rows of a store, as of one moment for each view.
type snapshots struct{ store *bolt.Store }

// View implements storage.Viewer.
func (s snapshots) View(ctx context.Context, fn func(storage.Tx) error) error {
	return s.store.Snapshot(ctx, func(snapshot *bolt.Snapshot) error { return snapshot.View(ctx, fn) })
}
