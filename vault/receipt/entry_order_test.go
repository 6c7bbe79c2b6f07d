package receipt_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/storage"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// concealMany conceals n secrets in one millisecond and returns the keys of
// their receipts, newest first.
func concealMany(t *testing.T, k *vaulttest.Kit, c caller.Caller, n int) (keys []string) {
	t.Helper()
	for i := range n {
		concealed := k.MustConceal(t, c, caller.Text(fmt.Sprint("text ", i)), secret.Terms{TTL: new(time.Minute)})
		keys = append(keys, concealed.Metadata.Key.Expose())
	}
	slices.Reverse(keys)
	return keys
}

// listAll lists the keys of all receipts by pages of a size.
func listAll(t *testing.T, k *vaulttest.Kit, c caller.Caller, size int) (keys []string) {
	t.Helper()
	q := receipt.ListQuery{Size: size}
	for {
		_, page := list(t, k, c, q)
		for _, m := range page.Metadata {
			keys = append(keys, m.Key.Expose())
		}
		if q.Token = page.Next; q.Token == "" {
			return keys
		}
	}
}

// Secrets of one millisecond are listed as they were made: the last one first.
func TestListMetadataOfOneMillisecond(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	older := concealMany(t, k, ada, 3)
	k.Clock.Advance(time.Millisecond)
	bobs := concealMany(t, k, bob, 2)
	made := append(concealMany(t, k, ada, 40), older...)
	for _, size := range []int{0, 7, 1} {
		if diff := cmp.Diff(made, listAll(t, k, ada, size)); diff != "" {
			t.Errorf("ListMetadata(pages of %d): -want +got\n%s", size, diff)
		}
	}
	if diff := cmp.Diff(bobs, listAll(t, k, bob, 0)); diff != "" {
		t.Errorf("ListMetadata() by another account: -want +got\n%s", diff)
	}
}

// The rows of a list go with their receipts: those with a number, those of
// older releases without, and those that are too many for one millisecond.
func TestListMetadataEndsWithReceipts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada := k.MustAccount(t, "ada@example.com")
	made := concealMany(t, k, ada, 10)
	dropEntryNumbers(t, k.Store, 5)
	setEntryNumber(t, k.Store, receipt.EntryMost-3)
	more := concealMany(t, k, ada, 5)
	all := listAll(t, k, ada, 0)
	if got, want := slices.Sorted(slices.Values(all)), slices.Sorted(slices.Values(append(made, more...))); !slices.Equal(got, want) {
		t.Errorf("ListMetadata(): got %d receipts %v, want %d %v", len(got), got, len(want), want)
	}
	k.Clock.Advance(2 * time.Minute)
	k.MustSweep(t)
	left := 0
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		return tx.Range(receipt.BucketEntry, nil, nil, func(_, _ []byte) error {
			left++
			return nil
		})
	})
	vaulttest.Want(t, "View(entries)", err, nil)
	vaulttest.Want(t, "rows of the list after its receipts", left, 0)
}
