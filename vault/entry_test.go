package vault_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/vault"
	"hush/vault/vaulttest"
)

// list fetches a page and returns the memos of its receipts, by which these
// tests know them.
func list(t *testing.T, k *vaulttest.Kit, c vault.Caller, q vault.ListQuery) (memos []string, page vault.Page) {
	t.Helper()
	page, err := k.Vault.ListMetadata(t.Context(), c, q)
	want(t, "ListMetadata(query)", err, nil)
	for _, m := range page.Metadata {
		memos = append(memos, string(m.Memo))
	}
	return memos, page
}

// concealNamed conceals a secret whose receipt is known by a memo.
func concealNamed(t *testing.T, k *vaulttest.Kit, c vault.Caller, memo vault.Text, wish vault.Wish) vault.Concealed {
	t.Helper()
	kept := k.MustConceal(t, c, "the text of "+memo, wish)
	_, err := k.Vault.UpdateMemo(t.Context(), c, kept.Metadata.Key.Expose(), memo)
	want(t, "UpdateMemo(key)", err, nil)
	k.Clock.Advance(time.Second)
	return kept
}

func TestListMetadata(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	var kept []vault.Concealed
	for i := range 5 {
		kept = append(kept, concealNamed(t, k, ada, vault.Text(fmt.Sprint(i)), vault.Wish{}))
	}
	concealNamed(t, k, bob, "bob's", vault.Wish{})
	k.MustReveal(t, vaulttest.Caller(7), kept[1].Secret.Key, "")
	k.MustBurn(t, ada, kept[3].Metadata.Key, "")
	for range 2 {
		memos, page := list(t, k, ada, vault.ListQuery{})
		if diff := cmp.Diff([]string{"4", "3", "2", "1", "0"}, memos); diff != "" {
			t.Errorf("ListMetadata(): -want +got\n%s", diff)
		}
		for i, m := range page.Metadata {
			want(t, "ListMetadata()[i].Key", m.Key, kept[4-i].Metadata.Key)
			want(t, "ListMetadata()[i].Secret", m.Secret, nil)
			want(t, "ListMetadata()[i].Account", m.Account, "ada@example.com")
		}
		want(t, "ListMetadata().Next", page.Next, "")
		k.Reopen(t)
		ada = k.MustSignIn(t, "ada@example.com", vaulttest.Password)
	}
	memos, _ := list(t, k, ada, vault.ListQuery{States: []vault.State{vault.StateReceived, vault.StateBurned}})
	if diff := cmp.Diff([]string{"3", "1"}, memos); diff != "" {
		t.Errorf("ListMetadata(received, burned): -want +got\n%s", diff)
	}
}

func TestListMetadataPages(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada := k.MustAccount(t, "ada@example.com")
	for i := range 7 {
		concealNamed(t, k, ada, vault.Text(fmt.Sprint(i)), vault.Wish{})
	}
	var all []string
	query := vault.ListQuery{Size: 3}
	for range 3 {
		memos, page := list(t, k, ada, query)
		all = append(all, memos...)
		query.Token = page.Next
	}
	want(t, "ListMetadata(last page).Next", query.Token, "")
	if diff := cmp.Diff([]string{"6", "5", "4", "3", "2", "1", "0"}, all); diff != "" {
		t.Errorf("ListMetadata(pages): -want +got\n%s", diff)
	}
	for _, token := range []string{"x", "00", string(make([]byte, 60))} {
		_, err := k.Vault.ListMetadata(t.Context(), ada, vault.ListQuery{Token: token})
		wantErr(t, "ListMetadata(bad token)", err, vault.ErrInvalid)
	}
}

// A receipt is listed for as long as it exists, and not a moment longer.
func TestListMetadataForgets(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada := k.MustAccount(t, "ada@example.com")
	concealNamed(t, k, ada, "short", vault.Wish{TTL: new(time.Minute)})
	concealNamed(t, k, ada, "long", vault.Wish{TTL: new(time.Hour)})
	k.Clock.Advance(time.Minute)
	memos, page := list(t, k, ada, vault.ListQuery{})
	want(t, "len(ListMetadata())", len(memos), 2)
	want(t, "ListMetadata()[1].State", page.Metadata[1].State, vault.StateExpired)
	k.Clock.Advance(time.Minute)
	for range 2 {
		memos, _ = list(t, k, ada, vault.ListQuery{})
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
	concealNamed(t, k, ada, "before", vault.Wish{})
	operators, _, err := k.Vault.Operator().CreateToken(t.Context(), "ada@example.com", vault.NewToken{})
	want(t, "CreateToken(address)", err, nil)
	own, _, err := k.Vault.GenerateAPIToken(t.Context(), ada, vault.NewToken{Name: "own"})
	want(t, "GenerateAPIToken(own)", err, nil)
	script := k.MustAuthenticate(t, vault.Credential{Token: vault.Text(operators.Expose())})
	concealNamed(t, k, script, "after", vault.Wish{})
	for name, test := range map[string]struct {
		caller vault.Caller
		memos  []string
		sealed int
	}{
		"session":        {ada, []string{"after", "before"}, 0},
		"own token":      {k.MustAuthenticate(t, vault.Credential{Token: vault.Text(own.Expose())}), []string{"after", "before"}, 0},
		"operator token": {script, []string{"after"}, 1},
	} {
		memos, page := list(t, k, test.caller, vault.ListQuery{})
		if diff := cmp.Diff(test.memos, memos); diff != "" {
			t.Errorf("ListMetadata() by %s: -want +got\n%s", name, diff)
		}
		want(t, "ListMetadata().Sealed by "+name, page.Sealed, test.sealed)
	}
}

// An account sees how its secrets ended and from where; whoever else holds the
// receipt of one does not.
func TestTimelineIsTheOwners(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	ada, bob := k.MustAccount(t, "ada@example.com"), k.MustAccount(t, "bob@example.com")
	kept := k.MustConceal(t, ada, "the text", vault.Wish{})
	_, err := k.Vault.GetSecret(t.Context(), ada, kept.Secret.Key.Expose()) // no look
	want(t, "GetSecret(key)", err, nil)
	k.MustReveal(t, from("203.0.113.5"), kept.Secret.Key, "")
	wanted := []vault.EventKind{vault.EventCreated, vault.EventRevealed}
	var got []vault.EventKind
	for _, e := range k.MustMetadata(t, ada, kept.Metadata.Key).Events {
		got = append(got, e.Kind)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("GetMetadata(key).Events: -want +got\n%s", diff)
	}
	for _, stranger := range []vault.Caller{vaulttest.Caller(3), bob} {
		want(t, "len(GetMetadata(key).Events) of a stranger", len(k.MustMetadata(t, stranger, kept.Metadata.Key).Events), 0)
	}
}

func TestAccountCounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: vault.Policy{Colonels: []string{"ada@example.com"}}})
	ada := k.MustAccount(t, "ada@example.com")
	kept := make([]vault.Concealed, 4)
	for i := range kept {
		kept[i] = k.MustConceal(t, ada, "the text", vault.Wish{TTL: new(time.Minute)})
	}
	k.MustConceal(t, vaulttest.Caller(2), "somebody else's", vault.Wish{})
	k.MustReveal(t, vaulttest.Caller(7), kept[0].Secret.Key, "")
	k.MustBurn(t, ada, kept[1].Metadata.Key, "")
	k.Clock.Advance(time.Minute)
	k.MustSweep(t)
	account, err := k.Vault.GetAccount(t.Context(), ada)
	want(t, "GetAccount()", err, nil)
	want(t, "GetAccount().Tally", account.Tally, vault.Tally{Created: 4, Shared: 1, Burned: 1})
	index, err := k.Vault.GetIndex(t.Context(), ada)
	want(t, "GetIndex()", err, nil)
	got := index.Counts
	for name, pair := range map[string][2]int64{
		"secrets": {got.Secrets, 1}, "metadata": {got.Metadata, 5}, "created": {got.Created, 5},
		"shared": {got.Shared, 1}, "burned": {got.Burned, 1}, "expired": {got.Expired, 2},
		"accounts": {got.Accounts, 1}, "sessions": {got.Sessions, 1},
	} {
		want(t, "GetIndex().Counts of "+name, pair[0], pair[1])
	}
}
