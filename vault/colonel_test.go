package vault_test

import (
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/feedback"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestGetIndexForColonels(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for _, c := range []caller.Caller{{}, vaulttest.Caller(1), customer()} {
		_, err := k.Vault.GetIndex(t.Context(), c)
		wantErr(t, "GetIndex(no colonel)", err, refusal.ErrNotFound)
	}
	index := mustIndex(t, k)
	want(t, "GetIndex().Counts of an empty store", index.Counts, vault.Counts{})
	want(t, "GetIndex().LiveBytes of an empty store", index.LiveBytes, 0)
}

func TestGetIndexCounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	revealed, burned := k.MustConceal(t, c, "one", secret.Wish{}), k.MustConceal(t, c, "two", secret.Wish{})
	k.MustConceal(t, c, "three", secret.Wish{})
	k.MustReveal(t, c, revealed.Secret.Key, "")
	k.MustBurn(t, c, burned.Metadata.Key, "")
	mustFeedback(t, k, customer(), "text")
	mustException(t, k, c, feedback.Exception{Message: "text"})
	index := mustIndex(t, k)
	want(t, "GetIndex().Counts", index.Counts, vault.Counts{
		Metadata: 3, Secrets: 1, Created: 3, Shared: 1, Burned: 1, Feedback: 1, TodayFeedback: 1, Exceptions: 1,
	})
	want(t, "GetIndex().LiveBytes", index.LiveBytes, k.Vault.KeptBytes())
	trail := int64(len(audits(t, k)))
	want(t, "GetIndex().AuditRows", index.AuditRows, trail)
	want(t, "GetIndex().AuditBytes", index.AuditBytes, trail*57)
	put(t, k.Store, vault.BucketAudit, number(1), nil) // as pruning does
	want(t, "GetIndex().AuditRows(pruned)", mustIndex(t, k).AuditRows, trail-1)
}

// The accounts of 30 days, newest first, without those that were destroyed,
// and no more than there is room for.
func TestGetIndexAccounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	now := k.Clock.Now()
	const day = 24 * time.Hour
	mustPutAccount(t, k, now.Add(-30*day), time.Time{})
	last := mustPutAccount(t, k, now.Add(-30*day+time.Millisecond), time.Time{})
	first := mustPutAccount(t, k, now, time.Time{})
	mustPutAccount(t, k, now.Add(-day), now)
	index := mustIndex(t, k)
	if len(index.Accounts) != 2 || index.Accounts[0].ID != first || index.Accounts[1].ID != last {
		t.Errorf("GetIndex().Accounts: got %d, want the newest and the one of 30 days ago", len(index.Accounts))
	}
	want(t, "GetIndex().Counts.RecentAccounts", index.Counts.RecentAccounts, 2)
	for i := range account.IndexAccounts {
		mustPutAccount(t, k, now.Add(-time.Duration(i)*time.Hour), time.Time{})
	}
	want(t, "len(GetIndex().Accounts)", len(mustIndex(t, k).Accounts), account.IndexAccounts)
}

func mustPutAccount(t *testing.T, k *vaulttest.Kit, created, destroyed time.Time) (id caller.AccountID) {
	t.Helper()
	err := k.Store.Update(t.Context(), func(tx storage.Tx) (err error) {
		id, err = vault.PutAccount(tx, created, destroyed)
		return err
	})
	if err != nil {
		t.Fatalf("PutAccount(): got %v, want nil", err)
	}
	return id
}
