package quota_test

import (
	"bytes"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/quota"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// The attack: a disk damages what a network has stored. Its rows add up to nothing, and
// are not deleted either, so a sweep that takes them for work never ends.
func TestSweepEndsBesideDamagedTally(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewMemoryCluster(t)
	k := c.Node(t, "a", vaulttest.Options{Manual: true})
	for i := range 3 {
		k.MustConceal(t, vaulttest.Caller(i), "x", secret.Terms{TTL: new(time.Hour)})
	}
	damaged := []byte{9, 9}
	err := c.Store.Update(t.Context(), func(tx storage.Tx) error {
		var key []byte
		if err := tx.Range(quota.BucketUsage, []byte("n"), []byte("o"), func(k, _ []byte) error {
			key = bytes.Clone(k)
			return nil
		}); err != nil {
			return err
		}
		return tx.Put(quota.BucketUsage, key, damaged)
	})
	vaulttest.Want(t, "Update(damage)", err, nil)
	k.Clock.Advance(20 * time.Minute)
	if _, err := k.Vault.Sweep(t.Context()); err != nil {
		t.Errorf("Sweep: got %v, want nil", err)
	}
	kept := 0
	for _, row := range vaulttest.RowsIn(t, c.Store, quota.BucketUsage) {
		if bytes.Equal(row, damaged) {
			kept++
		}
	}
	vaulttest.Want(t, "damaged rows after the sweep", kept, 1)
}
