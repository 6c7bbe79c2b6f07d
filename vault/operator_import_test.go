package vault_test

import (
	"errors"
	"strings"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/vault"
	"hush/vault/vaulttest"
)

func TestImportAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return twiceStore{s} }})
	operator := k.Vault.Operator()
	first, second := seal.RandomHex(20), seal.RandomHex(20)
	list := []vault.ImportedAccount{
		{Address: "Ada-canary@example.com", Token: vault.Text(first), Role: vault.RoleColonel, Locale: "fr"},
		{Address: bob, Token: vault.Text(second)},
		{Address: "eve@example.com"},
	}
	imported, skipped, err := operator.ImportAccounts(t.Context(), list, false)
	wantErr(t, "Operator.ImportAccounts(list)", err, nil)
	want(t, "Operator.ImportAccounts(list)", [2]int{imported, skipped}, [2]int{3, 0})
	c := k.mustBe(t, vault.Credential{Address: ada, Token: vault.Text(first)})
	want(t, "Caller.Colonel()", c.Colonel(), true)
	want(t, "Caller.Locale()", c.Locale(), "fr")
	k.mustBe(t, vault.Credential{Token: vault.Text(second)})
	tokens, err := operator.ListTokens(t.Context(), bob)
	wantErr(t, "Operator.ListTokens(address)", err, nil)
	if len(tokens) != 1 || tokens[0].Name != "imported" || tokens[0].Scopes != vault.ScopesAll {
		t.Errorf("Operator.ListTokens(address): got %d tokens, want one of everything that is called imported", len(tokens))
	}
	k.MustConceal(t, c, "kept", vault.Wish{})
	shown, sealed := k.listed(t, c)
	want(t, "receipts of an imported token", [2]int{shown, sealed}, [2]int{1, 0})

	_, err = operator.DestroyAccount(t.Context(), bob)
	wantErr(t, "Operator.DestroyAccount(address)", err, nil)
	list = append(list, vault.ImportedAccount{Address: "new@example.com", Token: vault.Text(second)})
	imported, skipped, err = operator.ImportAccounts(t.Context(), list[:0:0], true)
	wantErr(t, "Operator.ImportAccounts(nothing)", err, nil)
	want(t, "Operator.ImportAccounts(nothing)", [2]int{imported, skipped}, [2]int{0, 0})
	list[1].Token = "" // which the last entry has now
	imported, skipped, err = operator.ImportAccounts(t.Context(), list, true)
	wantErr(t, "Operator.ImportAccounts(again)", err, nil)
	want(t, "Operator.ImportAccounts(again)", [2]int{imported, skipped}, [2]int{1, 3})
	k.wantNoAccount(t, bob)
	k.mustBe(t, vault.Credential{Address: "new@example.com", Token: vault.Text(second)})
	want(t, "audit rows of new accounts", k.count(t, vault.AuditAccount), 5)
}

// An import that is refused leaves nothing, and says which entry it was.
func TestImportAccountsAllOrNone(t *testing.T) {
	t.Parallel()
	used, fresh := vault.Text(seal.RandomHex(20)), vault.Text(seal.RandomHex(20))
	tests := []struct {
		name  string
		entry vault.ImportedAccount
		skip  bool
		want  error
		field string
	}{
		{"no address", vault.ImportedAccount{Address: "bob"}, true, vault.ErrInvalid, "entries[1].address"},
		{"bad token", vault.ImportedAccount{Address: bob, Token: "ABC"}, true, vault.ErrInvalid, "entries[1].token"},
		{"upper-case token", vault.ImportedAccount{Address: bob, Token: vault.Text(strings.Repeat("AB", 20))}, true, vault.ErrInvalid, "entries[1].token"},
		{"bad locale", vault.ImportedAccount{Address: bob, Locale: "xx"}, true, vault.ErrInvalid, "entries[1].locale"},
		{"bad role", vault.ImportedAccount{Address: bob, Role: 9}, true, vault.ErrInvalid, "entries[1].role"},
		{"address twice", vault.ImportedAccount{Address: "EVE@example.com"}, true, vault.ErrDuplicate, "entries[1].address"},
		{"token twice", vault.ImportedAccount{Address: bob, Token: fresh}, true, vault.ErrDuplicate, "entries[1].token"},
		{"address taken", vault.ImportedAccount{Address: ada}, false, vault.ErrDuplicate, "entries[1].address"},
		{"token taken", vault.ImportedAccount{Address: bob, Token: used}, true, vault.ErrDuplicate, "entries[1].token"},
	}
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	_, _, err := operator.ImportAccounts(t.Context(), []vault.ImportedAccount{{Address: ada, Token: used}}, false)
	wantErr(t, "Operator.ImportAccounts(one)", err, nil)
	for _, test := range tests {
		list := []vault.ImportedAccount{{Address: "eve@example.com", Token: fresh}, test.entry}
		imported, skipped, err := operator.ImportAccounts(t.Context(), list, test.skip)
		wantErr(t, "Operator.ImportAccounts("+test.name+")", err, test.want)
		want(t, "Operator.ImportAccounts("+test.name+")", [2]int{imported, skipped}, [2]int{})
		if errors.Is(test.want, vault.ErrInvalid) {
			wantInvalid(t, "Operator.ImportAccounts("+test.name+")", err, test.field)
		} else if duplicate, ok := errors.AsType[*vault.DuplicateError](err); !ok || duplicate.Field != test.field {
			t.Errorf("Operator.ImportAccounts(%s): got %v, want a DuplicateError about %s", test.name, err, test.field)
		}
		k.wantNoAccount(t, "eve@example.com")
	}
	_, _, err = operator.ImportAccounts(t.Context(), make([]vault.ImportedAccount, vault.ImportMost+1), true)
	wantErr(t, "Operator.ImportAccounts(too many)", err, vault.ErrTooMany)
}
