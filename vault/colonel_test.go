package vault_test

import (
	"testing"
	"time"

	"hush/vault"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/feedback"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// withRole returns c with an account that is not stored, and with the role if
// colonel is set.
func withRole(c caller.Caller, id caller.AccountID, colonel bool) caller.Caller {
	return caller.WithCredential(c, &caller.Verified{ID: id, Colonel: colonel, Scopes: caller.ScopesAll})
}

// colonel is a caller with the role, customer one without.
func colonel() caller.Caller  { return withRole(vaulttest.Caller(9), caller.AccountID{9}, true) }
func customer() caller.Caller { return withRole(vaulttest.Caller(8), caller.AccountID{8}, false) }

func TestGetIndexForColonels(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for _, c := range []caller.Caller{{}, vaulttest.Caller(1), customer()} {
		_, err := k.Vault.GetIndex(t.Context(), c)
		vaulttest.WantErr(t, "GetIndex(no colonel)", err, refusal.ErrNotFound)
	}
	index := vaulttest.MustIndex(t, k, colonel())
	vaulttest.Want(t, "GetIndex().Counts of an empty store", index.Counts, vault.Counts{})
	vaulttest.Want(t, "GetIndex().LiveBytes of an empty store", index.LiveBytes, 0)
}

func TestGetIndexCounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	c := vaulttest.Caller(1)
	revealed, burned := k.MustConceal(t, c, "one", secret.Terms{}), k.MustConceal(t, c, "two", secret.Terms{})
	k.MustConceal(t, c, "three", secret.Terms{})
	k.MustReveal(t, c, revealed.Secret.Key, "")
	k.MustBurn(t, c, burned.Metadata.Key, "")
	vaulttest.MustFeedback(t, k, customer(), "text")
	vaulttest.MustException(t, k, c, feedback.Exception{Message: "text"})
	index := vaulttest.MustIndex(t, k, colonel())
	vaulttest.Want(t, "GetIndex().Counts", index.Counts, vault.Counts{
		Metadata: 3, Secrets: 1, Created: 3, Shared: 1, Burned: 1, Feedback: 1, TodayFeedback: 1, Exceptions: 1,
	})
	vaulttest.Want(t, "GetIndex().LiveBytes", index.LiveBytes, k.MustLiveBytes(t))
	trail := int64(len(vaulttest.RowsIn(t, k.Store, audit.BucketAudit)))
	vaulttest.Want(t, "GetIndex().AuditRows", index.AuditRows, trail)
	vaulttest.Want(t, "GetIndex().AuditBytes", index.AuditBytes, trail*57)
	vaulttest.Put(t, k.Store, audit.BucketAudit, vaulttest.Number(1), nil) // as pruning does
	vaulttest.Want(t, "GetIndex().AuditRows(pruned)", vaulttest.MustIndex(t, k, colonel()).AuditRows, trail-1)
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
	index := vaulttest.MustIndex(t, k, colonel())
	if len(index.Accounts) != 2 || index.Accounts[0].ID != first || index.Accounts[1].ID != last {
		t.Errorf("GetIndex().Accounts: got %d, want the newest and the one of 30 days ago", len(index.Accounts))
	}
	vaulttest.Want(t, "GetIndex().Counts.RecentAccounts", index.Counts.RecentAccounts, 2)
	for i := range account.IndexAccounts {
		mustPutAccount(t, k, now.Add(-time.Duration(i)*time.Hour), time.Time{})
	}
	vaulttest.Want(t, "len(GetIndex().Accounts)", len(vaulttest.MustIndex(t, k, colonel()).Accounts), account.IndexAccounts)
}

func mustPutAccount(t *testing.T, k *vaulttest.Kit, created, destroyed time.Time) (id caller.AccountID) {
	t.Helper()
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) (err error) {
		id = account.NewAccountID(created)
		return account.PutAccount(tx, id, &account.Record{Created: created, Role: account.RoleCustomer, Destroyed: destroyed})
	}))
	if err != nil {
		t.Fatalf("PutAccount(): got %v, want nil", err)
	}
	return id
}
