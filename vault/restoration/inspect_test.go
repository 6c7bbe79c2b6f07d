package restoration_test

import (
	"errors"
	"slices"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/storage/sharefile"
	"hush/vault/caller"
	"hush/vault/keylist"
	"hush/vault/receipt"
	"hush/vault/restoration"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// inspected is what the test compares of an Inspection.
type inspected struct{ secrets, damaged, noReceipt, gone, spare int64 }

// What a copy lacks or has damaged is counted.
func TestInspection(t *testing.T) {
	t.Parallel()
	kit := vaulttest.New(t, vaulttest.Options{Manual: true, Folder: true})
	for range 3 {
		kit.MustConceal(t, caller.Caller{}, "a secret", secret.Terms{})
	}
	all := func(_ string, value []byte) ([]byte, bool) { return value, true }
	first := true
	for name, c := range map[string]struct {
		change func(bucket string, value []byte) (changed []byte, keep bool)
		shares bool
		want   inspected
	}{
		"whole":          {all, true, inspected{secrets: 3}},
		"without shares": {all, false, inspected{secrets: 3, gone: 3}},
		"a damaged secret": {func(bucket string, value []byte) ([]byte, bool) {
			if bucket == secret.BucketSecret && first {
				first = false
				return value[:20], true
			}
			return value, true
		}, true, inspected{secrets: 2, damaged: 1, spare: 1}},
		"without receipts": {func(bucket string, value []byte) ([]byte, bool) {
			return value, bucket != receipt.BucketMetadata
		}, true, inspected{secrets: 3, noReceipt: 3}},
	} {
		i := inspect(t, kit, c.change, c.shares)
		got := inspected{i.Secrets, i.Damaged, i.NoReceipt, i.Gone, i.Spare}
		if got != c.want || !i.Verified || i.Sound() != (c.want.damaged+c.want.noReceipt == 0) {
			t.Errorf("%s: got %+v, verified %v, sound %v, want %+v", name, got, i.Verified, i.Sound(), c.want)
		}
	}
	i := restoration.NewInspection(nil)
	old, current := [seal.VerifierSize]byte{1}, [seal.VerifierSize]byte{2}
	list := keylist.RootKeys{Keys: []keylist.RootKey{
		{Verifier: [seal.VerifierSize]byte{3}, State: keylist.RootKeyRetired}, {Verifier: old, State: keylist.RootKeyOld}, {Verifier: current, State: keylist.RootKeyCurrent},
	}}
	if err := i.Row(rows.BucketSystem, []byte(keylist.SystemVerifier), list.Encode()); err != nil || !slices.Equal(i.RootKeys, []string{"01000000", "02000000"}) {
		t.Errorf("Row(list of root keys): got %v, %q, want the two that are needed", err, i.RootKeys)
	}
	if err := i.Row("a bucket of later", []byte("key"), nil); err != nil || i.Sound() || len(i.Names) != 1 {
		t.Errorf("Row(unknown bucket): got %v, sound %v, want it counted as damaged", err, i.Sound())
	}
	wrong := restoration.NewInspection(seal.NewKeys(seal.NewRootKey()))
	err := kit.Store.View(t.Context(), func(tx storage.Tx) error {
		return tx.Range("system", nil, nil, func(key, value []byte) error { return wrong.Row("system", key, value) })
	})
	if !errors.Is(err, seal.ErrWrongRootKey) {
		t.Errorf("Row(verifier of another root key): got %v, want %v", err, seal.ErrWrongRootKey)
	}
}

func inspect(t *testing.T, kit *vaulttest.Kit, change func(string, []byte) ([]byte, bool), withShares bool) *restoration.Inspection {
	t.Helper()
	store, shares := kit.Store.(*bolt.Store), kit.Shares.(*sharefile.File)
	i, find, named := restoration.NewInspection(kit.Keys), restoration.SlotFinder(), map[storage.Slot]bool{}
	err := store.Snapshot(t.Context(), func(s *bolt.Snapshot) error {
		return s.Rows(t.Context(), func(bucket string, key, value []byte) error {
			if slot, ok := find(bucket, key, value); ok {
				named[slot] = true
			}
			if value, keep := change(bucket, value); keep {
				return i.Row(bucket, key, value)
			}
			return nil
		})
	})
	vaulttest.Want(t, "Snapshot()", err, nil)
	if withShares {
		_, err = shares.Live(t.Context(), func(slot storage.Slot, share [storage.ShareSize]byte) error {
			if !named[slot] {
				return nil // ready for a new secret
			}
			return i.Slot(slot, share)
		})
		vaulttest.Want(t, "Live()", err, nil)
	}
	i.End()
	return i
}
