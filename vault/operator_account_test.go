package vault_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"hush/vault"
	"hush/vault/vaulttest"
)

func TestOperatorCreatesAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	made := k.made(t, vault.OperatorAccount{Address: " Ada-canary@Example.com ", Password: rightPassword, Role: vault.RoleColonel, Locale: "pt-BR"})
	want(t, "Account.Address", made.Address, ada)
	want(t, "Account.Role", made.Role, vault.RoleColonel)
	want(t, "Account.Verified", made.Verified, true)
	want(t, "Account.Locale", made.Locale, "pt_BR")
	want(t, "Account.Created", made.Created, k.Clock.Now())
	want(t, "Account.TTLCeiling", made.TTLCeiling, 30*24*time.Hour)
	want(t, "Account.SecretLimit", made.SecretLimit, 1<<20)
	want(t, "Caller.Colonel()", k.signIn(t, ada, rightPassword).Colonel(), true)
	k.made(t, vault.OperatorAccount{Address: bob})
	k.wantSignIn(t, bob, "", vault.ErrCredentials)
	k.wantMailless(t)

	tests := []struct {
		name    string
		account vault.OperatorAccount
		want    error
		field   string
	}{
		{"taken", vault.OperatorAccount{Address: "ADA-canary@example.com"}, vault.ErrDuplicate, ""},
		{"no address", vault.OperatorAccount{Address: "ada"}, vault.ErrInvalid, "address"},
		{"bad password", vault.OperatorAccount{Address: "eve@example.com", Password: "short"}, vault.ErrInvalid, "password"},
		{"bad role", vault.OperatorAccount{Address: "eve@example.com", Role: 3}, vault.ErrInvalid, "role"},
		{"bad locale", vault.OperatorAccount{Address: "eve@example.com", Locale: "xx"}, vault.ErrInvalid, "locale"},
	}
	for _, test := range tests {
		_, err := operator.CreateAccount(t.Context(), test.account)
		wantErr(t, "Operator.CreateAccount("+test.name+")", err, test.want)
		if test.field != "" {
			wantInvalid(t, "Operator.CreateAccount("+test.name+")", err, test.field)
		}
	}
	k.wantNoAccount(t, "eve@example.com")
	want(t, "audit rows of new accounts", k.count(t, vault.AuditAccount), 3)
}

// wantMailless fails the test if mails wait.
func (k *accountKit) wantMailless(t *testing.T) {
	t.Helper()
	want(t, "mails that wait", len(rows(t, k.Store, vault.BucketOutbox)), 0)
}

func TestOperatorListsAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	wanted := []string{"host-canary@example.com"}
	for i := range 7 {
		k.Clock.Advance(time.Second)
		address := "member" + strconv.Itoa(i) + "@example.com"
		k.made(t, vault.OperatorAccount{Address: vault.Text(address)})
		wanted = append(wanted, address)
	}
	_, err := operator.DestroyAccount(t.Context(), "member3@example.com")
	wantErr(t, "Operator.DestroyAccount(address)", err, nil)
	wanted = slices.DeleteFunc(wanted, func(s string) bool { return s == "member3@example.com" })
	slices.Reverse(wanted)
	for size := 1; size <= len(wanted)+1; size++ {
		var got []string
		for token := ""; ; {
			list, next, err := operator.ListAccounts(t.Context(), size, token)
			wantErr(t, "Operator.ListAccounts(size, token)", err, nil)
			for _, a := range list {
				got = append(got, a.Address)
			}
			if token = next; next == "" {
				break
			}
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("Operator.ListAccounts(%d): got %d accounts in another order, want %d, newest first", size, len(got), len(wanted))
		}
	}
	_, _, err = operator.ListAccounts(t.Context(), 1, "wrong")
	wantInvalid(t, "Operator.ListAccounts(wrong token)", err, "page_token")
}

func TestOperatorChangesAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	own := k.member(t, ada)
	session, token := k.browser(t), k.token(t, own)
	id := vault.Text(k.account(t, ada).ID.String())

	shown, err := operator.SetRole(t.Context(), id, vault.RoleColonel)
	wantErr(t, "Operator.SetRole(id)", err, nil)
	want(t, "Account.Role", shown.Role, vault.RoleColonel)
	want(t, "Caller.Colonel()", k.mustBe(t, session).Colonel(), true)
	_, err = operator.SetRole(t.Context(), ada, vault.RoleCustomer)
	wantErr(t, "Operator.SetRole(address)", err, nil)
	want(t, "Caller.Colonel()", k.mustBe(t, session).Colonel(), false)
	_, err = operator.SetRole(t.Context(), ada, 0)
	wantInvalid(t, "Operator.SetRole(no role)", err, "role")

	shown, err = operator.DisableAccount(t.Context(), ada, true)
	wantErr(t, "Operator.DisableAccount(address)", err, nil)
	want(t, "Account.Disabled", shown.Disabled, true)
	k.wantNobody(t, session)
	k.wantNobody(t, token)
	k.wantSignIn(t, ada, rightPassword, vault.ErrCredentials)
	_, err = k.Vault.GetAccount(t.Context(), own)
	wantErr(t, "GetAccount(disabled)", err, vault.ErrUnauthenticated)
	_, err = operator.DisableAccount(t.Context(), ada, false)
	wantErr(t, "Operator.DisableAccount(address)", err, nil)
	k.wantNobody(t, session)
	k.mustBe(t, token)
	k.signIn(t, ada, rightPassword)

	_, err = operator.ResetPassword(t.Context(), ada, "short")
	wantInvalid(t, "Operator.ResetPassword(short)", err, "password")
	_, err = operator.ResetPassword(t.Context(), ada, otherPassword)
	wantErr(t, "Operator.ResetPassword(address)", err, nil)
	k.wantNobody(t, token)
	k.signIn(t, ada, otherPassword)
	for kind, number := range map[vault.AuditType]int{vault.AuditRole: 2, vault.AuditDisable: 2, vault.AuditReset: 1} {
		want(t, "audit rows", k.count(t, kind), number)
	}
}

func TestOperatorFindsNobody(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	for _, account := range []vault.Text{"", "nobody", ada, "0123456789abcdef0123456789abcdef"} {
		_, getErr := operator.GetAccount(t.Context(), account)
		_, roleErr := operator.SetRole(t.Context(), account, vault.RoleColonel)
		_, disableErr := operator.DisableAccount(t.Context(), account, true)
		_, resetErr := operator.ResetPassword(t.Context(), account, rightPassword)
		_, destroyErr := operator.DestroyAccount(t.Context(), account)
		for _, err := range []error{getErr, roleErr, disableErr, resetErr, destroyErr} {
			wantErr(t, "Operator on nobody's account", err, vault.ErrNotFound)
		}
	}
}

// A role takes effect only once it is known whose the address is.
func TestColonelsHaveConfirmedAddresses(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{Policy: vault.Policy{Colonels: []string{ada}}})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	want(t, "Caller.Colonel() of an unconfirmed address", k.signIn(t, ada, rightPassword).Colonel(), false)
	_, err := k.Vault.Operator().SetRole(t.Context(), ada, vault.RoleColonel)
	wantErr(t, "Operator.SetRole(address)", err, nil)
	want(t, "Account.Role of an unconfirmed address", k.account(t, ada).Role, vault.RoleCustomer)
	_, err = k.Vault.Operator().ResetPassword(t.Context(), ada, otherPassword)
	wantErr(t, "Operator.ResetPassword(address)", err, nil)
	want(t, "Caller.Colonel()", k.signIn(t, ada, otherPassword).Colonel(), true)
}
