package receipt_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// Several receipts at once are those that single calls show, in the order that
// was asked for, and looking changes none of them.
func TestBatchGetMetadata(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, anon := k.MustAccount(t, "ada@example.com"), vaulttest.Caller(1)
	own := k.MustConceal(t, ada, "ada's", secret.Terms{}).Metadata.Key.Expose()
	first := k.MustConceal(t, anon, "first", secret.Terms{TTL: new(time.Minute)})
	second := k.MustConceal(t, anon, "second", secret.Terms{})
	k.MustReveal(t, vaulttest.Caller(7), second.Secret.Key, "")
	keys := []string{second.Metadata.Key.Expose(), "nonsense", own, first.Secret.Key.Expose(), first.Metadata.Key.Expose(), own}
	for _, c := range []caller.Caller{anon, ada} {
		got, err := k.Vault.Receipts.BatchGetMetadata(t.Context(), c, keys)
		vaulttest.Want(t, "BatchGetMetadata(keys)", err, nil)
		vaulttest.Want(t, "len(BatchGetMetadata(keys))", len(got), 4)
		for i, key := range []string{keys[0], own, keys[4], own} {
			vaulttest.Want(t, "BatchGetMetadata(keys)[i].Key", got[i].Key.Expose(), key)
		}
		vaulttest.Want(t, "received", got[0].State, receipt.StateReceived)
		vaulttest.Want(t, "new, looked at twice", got[2].State, receipt.StateNew)
		vaulttest.Want(t, "secret of an anonymous receipt", got[2].Secret != nil, true)
		vaulttest.Want(t, "secret of ada's receipt", got[1].Secret != nil, c.Account() == ada.Account())
	}
	for _, i := range []int{0, 2, 4} {
		got, err := k.Vault.Receipts.BatchGetMetadata(t.Context(), ada, keys[i:i+1])
		vaulttest.Want(t, "BatchGetMetadata(key)", err, nil)
		single, err := k.Vault.Receipts.GetMetadata(t.Context(), ada, keys[i])
		vaulttest.Want(t, "GetMetadata(key)", err, nil)
		if diff := cmp.Diff(single.State, got[0].State) + cmp.Diff(single.Events, got[0].Events); diff != "" {
			t.Errorf("BatchGetMetadata(key): -GetMetadata +got\n%s", diff)
		}
	}
	k.Clock.Advance(2 * time.Minute)
	got, err := k.Vault.Receipts.BatchGetMetadata(t.Context(), anon, keys[4:5])
	vaulttest.Want(t, "BatchGetMetadata(forgotten)", err, nil)
	vaulttest.Want(t, "len(BatchGetMetadata(forgotten))", len(got), 0)
	_, err = k.Vault.Receipts.BatchGetMetadata(t.Context(), anon, make([]string, receipt.BatchMost+1))
	vaulttest.WantErr(t, "BatchGetMetadata(26 keys)", err, refusal.ErrInvalid)
}
