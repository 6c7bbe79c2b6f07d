package signup_test

import (
	"errors"
	"strings"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

func TestImportAccounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	operator := k.Vault.Operator()
	first, second := seal.RandomHex(20), seal.RandomHex(20)
	list := []signup.ImportedAccount{
		{Address: "Ada-canary@example.com", Token: caller.Text(first), Role: account.RoleColonel, Locale: "fr"},
		{Address: vaulttest.Bob, Token: caller.Text(second)},
		{Address: "eve@example.com"},
	}
	imported, skipped, err := operator.SignUps.ImportAccounts(t.Context(), list, false)
	vaulttest.WantErr(t, "Operator.ImportAccounts(list)", err, nil)
	vaulttest.Want(t, "Operator.ImportAccounts(list)", [2]int{imported, skipped}, [2]int{3, 0})
	c := k.MustAuthenticate(t, session.Credential{Address: vaulttest.Ada, Token: caller.Text(first)})
	vaulttest.Want(t, "Caller.Colonel()", c.Colonel(), true)
	vaulttest.Want(t, "Caller.Locale()", c.Locale(), "fr")
	k.MustAuthenticate(t, session.Credential{Token: caller.Text(second)})
	tokens, err := operator.Tokens.ListTokens(t.Context(), vaulttest.Bob)
	vaulttest.WantErr(t, "Operator.ListTokens(address)", err, nil)
	if len(tokens) != 1 || tokens[0].Name != "imported" || tokens[0].Scopes != caller.ScopesAll {
		t.Errorf("Operator.ListTokens(address): got %d tokens, want one of everything that is called imported", len(tokens))
	}
	k.MustConceal(t, c, "kept", secret.Terms{})
	shown, sealed := k.Listed(t, c)
	vaulttest.Want(t, "receipts of an imported token", [2]int{shown, sealed}, [2]int{1, 0})

	_, err = operator.Accounts.DestroyAccount(t.Context(), vaulttest.Bob)
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	list = append(list, signup.ImportedAccount{Address: "new@example.com", Token: caller.Text(second)})
	imported, skipped, err = operator.SignUps.ImportAccounts(t.Context(), list[:0:0], true)
	vaulttest.WantErr(t, "Operator.ImportAccounts(nothing)", err, nil)
	vaulttest.Want(t, "Operator.ImportAccounts(nothing)", [2]int{imported, skipped}, [2]int{0, 0})
	list[1].Token = "" // which the last entry has now
	imported, skipped, err = operator.SignUps.ImportAccounts(t.Context(), list, true)
	vaulttest.WantErr(t, "Operator.ImportAccounts(again)", err, nil)
	vaulttest.Want(t, "Operator.ImportAccounts(again)", [2]int{imported, skipped}, [2]int{1, 3})
	k.WantNoAccount(t, vaulttest.Bob)
	k.MustAuthenticate(t, session.Credential{Address: "new@example.com", Token: caller.Text(second)})
	vaulttest.Want(t, "audit rows of new accounts", k.AuditCount(t, audit.Account), 5)
}

// An import that is refused leaves nothing, and says which entry it was.
func TestImportAccountsAllOrNone(t *testing.T) {
	t.Parallel()
	used, fresh := caller.Text(seal.RandomHex(20)), caller.Text(seal.RandomHex(20))
	tests := []struct {
		name  string
		entry signup.ImportedAccount
		skip  bool
		want  error
		field string
	}{
		{"no address", signup.ImportedAccount{Address: "bob"}, true, refusal.ErrInvalid, "entries[1].address"},
		{"bad token", signup.ImportedAccount{Address: vaulttest.Bob, Token: "ABC"}, true, refusal.ErrInvalid, "entries[1].token"},
		{"upper-case token", signup.ImportedAccount{Address: vaulttest.Bob, Token: caller.Text(strings.Repeat("AB", 20))}, true, refusal.ErrInvalid, "entries[1].token"},
		{"bad locale", signup.ImportedAccount{Address: vaulttest.Bob, Locale: "xx"}, true, refusal.ErrInvalid, "entries[1].locale"},
		{"bad role", signup.ImportedAccount{Address: vaulttest.Bob, Role: 9}, true, refusal.ErrInvalid, "entries[1].role"},
		{"address twice", signup.ImportedAccount{Address: "EVE@example.com"}, true, refusal.ErrDuplicate, "entries[1].address"},
		{"token twice", signup.ImportedAccount{Address: vaulttest.Bob, Token: fresh}, true, refusal.ErrDuplicate, "entries[1].token"},
		{"address taken", signup.ImportedAccount{Address: vaulttest.Ada}, false, refusal.ErrDuplicate, "entries[1].address"},
		{"token taken", signup.ImportedAccount{Address: vaulttest.Bob, Token: used}, true, refusal.ErrDuplicate, "entries[1].token"},
	}
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	_, _, err := operator.SignUps.ImportAccounts(t.Context(), []signup.ImportedAccount{{Address: vaulttest.Ada, Token: used}}, false)
	vaulttest.WantErr(t, "Operator.ImportAccounts(one)", err, nil)
	for _, test := range tests {
		list := []signup.ImportedAccount{{Address: "eve@example.com", Token: fresh}, test.entry}
		imported, skipped, err := operator.SignUps.ImportAccounts(t.Context(), list, test.skip)
		vaulttest.WantErr(t, "Operator.ImportAccounts("+test.name+")", err, test.want)
		vaulttest.Want(t, "Operator.ImportAccounts("+test.name+")", [2]int{imported, skipped}, [2]int{})
		if errors.Is(test.want, refusal.ErrInvalid) {
			vaulttest.WantInvalid(t, "Operator.ImportAccounts("+test.name+")", err, test.field)
		} else if duplicate, ok := errors.AsType[*signup.DuplicateError](err); !ok || duplicate.Field != test.field {
			t.Errorf("Operator.ImportAccounts(%s): got %v, want a DuplicateError about %s", test.name, err, test.field)
		}
		k.WantNoAccount(t, "eve@example.com")
	}
	_, _, err = operator.SignUps.ImportAccounts(t.Context(), make([]signup.ImportedAccount, signup.ImportMost+1), true)
	vaulttest.WantErr(t, "Operator.ImportAccounts(too many)", err, refusal.ErrTooMany)
}
