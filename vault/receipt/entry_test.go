package receipt_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

// list fetches a page and returns the memos of its receipts, by which these
// tests know them.
func list(t *testing.T, k *vaulttest.Kit, c caller.Caller, q receipt.ListQuery) (memos []string, page receipt.Page) {
	t.Helper()
	page, err := k.Vault.Receipts.ListMetadata(t.Context(), c, q)
	vaulttest.Want(t, "ListMetadata(query)", err, nil)
	for _, m := range page.Metadata {
		memos = append(memos, string(m.Memo))
	}
	return memos, page
}

// concealNamed conceals a secret whose receipt is known by a memo.
func concealNamed(t *testing.T, k *vaulttest.Kit, c caller.Caller, memo caller.Text, terms secret.Terms) secret.Concealed {
	t.Helper()
	concealed := k.MustConceal(t, c, "the text of "+memo, terms)
	_, err := k.Vault.Receipts.UpdateMemo(t.Context(), c, concealed.Metadata.Key.Expose(), memo)
	vaulttest.Want(t, "UpdateMemo(key)", err, nil)
	k.Clock.Advance(time.Second)
	return concealed
}

func TestListMetadata(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	var concealed []secret.Concealed
	for i := range 5 {
		concealed = append(concealed, concealNamed(t, k, ada, caller.Text(fmt.Sprint(i)), secret.Terms{}))
	}
	concealNamed(t, k, bob, "bob's", secret.Terms{})
	k.MustReveal(t, vaulttest.Caller(7), concealed[1].Secret.Key, "")
	k.MustBurn(t, ada, concealed[3].Metadata.Key, "")
	for range 2 {
		memos, page := list(t, k, ada, receipt.ListQuery{})
		if diff := cmp.Diff([]string{"4", "3", "2", "1", "0"}, memos); diff != "" {
			t.Errorf("ListMetadata(): -want +got\n%s", diff)
		}
		for i, m := range page.Metadata {
			vaulttest.Want(t, "ListMetadata()[i].Key", m.Key, concealed[4-i].Metadata.Key)
			vaulttest.Want(t, "ListMetadata()[i].Secret", m.Secret, nil)
			vaulttest.Want(t, "ListMetadata()[i].Account", m.Account, "ada@example.com")
		}
		vaulttest.Want(t, "ListMetadata().Next", page.Next, "")
		k.Reopen(t)
		ada = k.MustSignIn(t, "ada@example.com", vaulttest.Password)
	}
	memos, _ := list(t, k, ada, receipt.ListQuery{States: []receipt.State{receipt.StateReceived, receipt.StateBurned}})
	if diff := cmp.Diff([]string{"3", "1"}, memos); diff != "" {
		t.Errorf("ListMetadata(received, burned): -want +got\n%s", diff)
	}
}

func TestListMetadataPages(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada := k.MustAccount(t, "ada@example.com")
	for i := range 7 {
		concealNamed(t, k, ada, caller.Text(fmt.Sprint(i)), secret.Terms{})
	}
	var all []string
	query := receipt.ListQuery{Size: 3}
	for range 3 {
		memos, page := list(t, k, ada, query)
		all = append(all, memos...)
		query.Token = page.Next
	}
	vaulttest.Want(t, "ListMetadata(last page).Next", query.Token, "")
	if diff := cmp.Diff([]string{"6", "5", "4", "3", "2", "1", "0"}, all); diff != "" {
		t.Errorf("ListMetadata(pages): -want +got\n%s", diff)
	}
	for _, token := range []string{"x", "00", string(make([]byte, 60))} {
		_, err := k.Vault.Receipts.ListMetadata(t.Context(), ada, receipt.ListQuery{Token: token})
		vaulttest.WantErr(t, "ListMetadata(bad token)", err, refusal.ErrInvalid)
	}
}

// A receipt is listed for as long as it exists, and not a moment longer.
func TestListMetadataForgets(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada := k.MustAccount(t, "ada@example.com")
	concealNamed(t, k, ada, "short", secret.Terms{TTL: new(time.Minute)})
	concealNamed(t, k, ada, "long", secret.Terms{TTL: new(time.Hour)})
	k.Clock.Advance(time.Minute)
	memos, page := list(t, k, ada, receipt.ListQuery{})
	vaulttest.Want(t, "len(ListMetadata())", len(memos), 2)
	vaulttest.Want(t, "ListMetadata()[1].State", page.Metadata[1].State, receipt.StateExpired)
	k.Clock.Advance(time.Minute)
	for range 2 {
		memos, _ = list(t, k, ada, receipt.ListQuery{})
		if diff := cmp.Diff([]string{"long"}, memos); diff != "" {
			t.Errorf("ListMetadata(): -want +got\n%s", diff)
		}
		k.MustSweep(t)
	}
}

// A token that the operator made lists what came after it; the session lists
// all, and so does a token that it made itself.
func TestListMetadataOfTokens(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada := k.MustAccount(t, "ada@example.com")
	concealNamed(t, k, ada, "before", secret.Terms{})
	operators, _, err := k.Vault.Operator().Tokens.CreateToken(t.Context(), "ada@example.com", credential.NewToken{})
	vaulttest.Want(t, "CreateToken(address)", err, nil)
	own, _, err := k.Vault.Tokens.GenerateAPIToken(t.Context(), ada, credential.NewToken{Name: "own"})
	vaulttest.Want(t, "GenerateAPIToken(own)", err, nil)
	script := k.MustAuthenticate(t, session.Credential{Token: caller.Text(operators.Expose())})
	concealNamed(t, k, script, "after", secret.Terms{})
	for name, test := range map[string]struct {
		caller caller.Caller
		memos  []string
		sealed int
	}{
		"session":        {ada, []string{"after", "before"}, 0},
		"own token":      {k.MustAuthenticate(t, session.Credential{Token: caller.Text(own.Expose())}), []string{"after", "before"}, 0},
		"operator token": {script, []string{"after"}, 1},
	} {
		memos, page := list(t, k, test.caller, receipt.ListQuery{})
		if diff := cmp.Diff(test.memos, memos); diff != "" {
			t.Errorf("ListMetadata() by %s: -want +got\n%s", name, diff)
		}
		vaulttest.Want(t, "ListMetadata().Sealed by "+name, page.Sealed, test.sealed)
	}
}

// An account sees how its secrets ended and from where; other holders of the
// receipt do not.
func TestTimelineIsTheOwners(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	concealed := k.MustConceal(t, ada, "the text", secret.Terms{})
	_, err := k.Vault.Secrets.GetSecret(t.Context(), ada, concealed.Secret.Key.Expose()) // no look
	vaulttest.Want(t, "GetSecret(key)", err, nil)
	k.MustReveal(t, from("203.0.113.5"), concealed.Secret.Key, "")
	wanted := []receipt.EventKind{receipt.EventCreated, receipt.EventRevealed}
	var got []receipt.EventKind
	for _, e := range k.MustMetadata(t, ada, concealed.Metadata.Key).Events {
		got = append(got, e.Kind)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("GetMetadata(key).Events: -want +got\n%s", diff)
	}
	for _, stranger := range []caller.Caller{vaulttest.Caller(3), bob} {
		vaulttest.Want(t, "len(GetMetadata(key).Events) of a stranger", len(k.MustMetadata(t, stranger, concealed.Metadata.Key).Events), 0)
	}
}

func TestAccountCounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: caller.Policy{Colonels: []string{"ada@example.com"}}})
	ada := k.MustAccount(t, "ada@example.com")
	concealed := make([]secret.Concealed, 4)
	for i := range concealed {
		concealed[i] = k.MustConceal(t, ada, "the text", secret.Terms{TTL: new(time.Minute)})
	}
	k.MustConceal(t, vaulttest.Caller(2), "somebody else's", secret.Terms{})
	k.MustReveal(t, vaulttest.Caller(7), concealed[0].Secret.Key, "")
	k.MustBurn(t, ada, concealed[1].Metadata.Key, "")
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	owner, err := k.Vault.Accounts.GetAccount(t.Context(), ada)
	vaulttest.Want(t, "GetAccount()", err, nil)
	vaulttest.Want(t, "GetAccount().Tally", owner.Tally, account.Tally{Created: 4, Shared: 1, Burned: 1})
	index, err := k.Vault.GetIndex(t.Context(), ada)
	vaulttest.Want(t, "GetIndex()", err, nil)
	got := index.Counts
	for name, pair := range map[string][2]int64{
		"secrets": {got.Secrets, 1}, "metadata": {got.Metadata, 5}, "created": {got.Created, 5},
		"shared": {got.Shared, 1}, "burned": {got.Burned, 1}, "expired": {got.Expired, 2},
		"accounts": {got.Accounts, 1}, "sessions": {got.Sessions, 1},
	} {
		vaulttest.Want(t, "GetIndex().Counts of "+name, pair[0], pair[1])
	}
}
