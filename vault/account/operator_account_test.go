package account_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

func TestOperatorCreatesAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	made := k.made(t, account.OperatorAccount{Address: " Ada-canary@Example.com ", Password: rightPassword, Role: account.RoleColonel, Locale: "pt-BR"})
	vaulttest.Want(t, "Account.Address", made.Address, ada)
	vaulttest.Want(t, "Account.Role", made.Role, account.RoleColonel)
	vaulttest.Want(t, "Account.Verified", made.Verified, true)
	vaulttest.Want(t, "Account.Locale", made.Locale, "pt_BR")
	vaulttest.Want(t, "Account.Created", made.Created, k.Clock.Now())
	vaulttest.Want(t, "Account.TTLCeiling", made.TTLCeiling, 30*24*time.Hour)
	vaulttest.Want(t, "Account.SecretLimit", made.SecretLimit, 1<<20)
	vaulttest.Want(t, "Caller.Colonel()", k.signIn(t, ada, rightPassword).Colonel(), true)
	k.made(t, account.OperatorAccount{Address: bob})
	k.wantSignIn(t, bob, "", refusal.ErrCredentials)
	k.wantMailless(t)

	tests := []struct {
		name    string
		account account.OperatorAccount
		want    error
		field   string
	}{
		{"taken", account.OperatorAccount{Address: "ADA-canary@example.com"}, refusal.ErrDuplicate, ""},
		{"no address", account.OperatorAccount{Address: "ada"}, refusal.ErrInvalid, "address"},
		{"bad password", account.OperatorAccount{Address: "eve@example.com", Password: "short"}, refusal.ErrInvalid, "password"},
		{"bad role", account.OperatorAccount{Address: "eve@example.com", Role: 3}, refusal.ErrInvalid, "role"},
		{"bad locale", account.OperatorAccount{Address: "eve@example.com", Locale: "xx"}, refusal.ErrInvalid, "locale"},
	}
	for _, test := range tests {
		_, err := operator.Accounts.CreateAccount(t.Context(), test.account)
		vaulttest.WantErr(t, "Operator.CreateAccount("+test.name+")", err, test.want)
		if test.field != "" {
			vaulttest.WantInvalid(t, "Operator.CreateAccount("+test.name+")", err, test.field)
		}
	}
	k.wantNoAccount(t, "eve@example.com")
	vaulttest.Want(t, "audit rows of new accounts", k.count(t, audit.Account), 3)
}

// wantMailless fails the test if mails wait.
func (k *accountKit) wantMailless(t *testing.T) {
	t.Helper()
	vaulttest.Want(t, "mails that wait", len(vaulttest.RowsIn(t, k.Store, outbox.BucketOutbox)), 0)
}

func TestOperatorListsAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	wanted := []string{"host-canary@example.com"}
	for i := range 7 {
		k.Clock.Advance(time.Second)
		address := "member" + strconv.Itoa(i) + "@example.com"
		k.made(t, account.OperatorAccount{Address: caller.Text(address)})
		wanted = append(wanted, address)
	}
	_, err := operator.Accounts.DestroyAccount(t.Context(), "member3@example.com")
	vaulttest.WantErr(t, "Operator.DestroyAccount(address)", err, nil)
	wanted = slices.DeleteFunc(wanted, func(s string) bool { return s == "member3@example.com" })
	slices.Reverse(wanted)
	for size := 1; size <= len(wanted)+1; size++ {
		var got []string
		for token := ""; ; {
			list, next, err := operator.Accounts.ListAccounts(t.Context(), size, token)
			vaulttest.WantErr(t, "Operator.ListAccounts(size, token)", err, nil)
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
	_, _, err = operator.Accounts.ListAccounts(t.Context(), 1, "wrong")
	vaulttest.WantInvalid(t, "Operator.ListAccounts(wrong token)", err, "page_token")
}

func TestOperatorChangesAccounts(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	own := k.member(t, ada)
	session, token := k.browser(t), k.token(t, own)
	id := caller.Text(k.account(t, ada).ID.String())

	shown, err := operator.Accounts.SetRole(t.Context(), id, account.RoleColonel)
	vaulttest.WantErr(t, "Operator.SetRole(id)", err, nil)
	vaulttest.Want(t, "Account.Role", shown.Role, account.RoleColonel)
	vaulttest.Want(t, "Caller.Colonel()", k.mustBe(t, session).Colonel(), true)
	_, err = operator.Accounts.SetRole(t.Context(), ada, account.RoleCustomer)
	vaulttest.WantErr(t, "Operator.SetRole(address)", err, nil)
	vaulttest.Want(t, "Caller.Colonel()", k.mustBe(t, session).Colonel(), false)
	_, err = operator.Accounts.SetRole(t.Context(), ada, 0)
	vaulttest.WantInvalid(t, "Operator.SetRole(no role)", err, "role")

	shown, err = operator.Accounts.DisableAccount(t.Context(), ada, true)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	vaulttest.Want(t, "Account.Disabled", shown.Disabled, true)
	k.wantRefused(t, session)
	k.wantRefused(t, token)
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(disabled)", err, refusal.ErrUnauthenticated)
	_, err = operator.Accounts.DisableAccount(t.Context(), ada, false)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	k.wantRefused(t, session)
	k.mustBe(t, token)
	k.signIn(t, ada, rightPassword)

	_, err = operator.Accounts.ResetPassword(t.Context(), ada, "short")
	vaulttest.WantInvalid(t, "Operator.ResetPassword(short)", err, "password")
	_, err = operator.Accounts.ResetPassword(t.Context(), ada, otherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	k.wantRefused(t, token)
	k.signIn(t, ada, otherPassword)
	for kind, number := range map[audit.Type]int{audit.Role: 2, audit.Disable: 2, audit.Reset: 1} {
		vaulttest.Want(t, "audit rows", k.count(t, kind), number)
	}
}

func TestOperatorFindsNobody(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	for _, owner := range []caller.Text{"", "nobody", ada, "0123456789abcdef0123456789abcdef"} {
		_, getErr := operator.Accounts.GetAccount(t.Context(), owner)
		_, roleErr := operator.Accounts.SetRole(t.Context(), owner, account.RoleColonel)
		_, disableErr := operator.Accounts.DisableAccount(t.Context(), owner, true)
		_, resetErr := operator.Accounts.ResetPassword(t.Context(), owner, rightPassword)
		_, destroyErr := operator.Accounts.DestroyAccount(t.Context(), owner)
		for _, err := range []error{getErr, roleErr, disableErr, resetErr, destroyErr} {
			vaulttest.WantErr(t, "Operator on an unknown account", err, refusal.ErrNotFound)
		}
	}
}

// A role takes effect only once it is known whose the address is.
func TestColonelsHaveConfirmedAddresses(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{ada}}})
	vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	vaulttest.Want(t, "Caller.Colonel() of an unconfirmed address", k.signIn(t, ada, rightPassword).Colonel(), false)
	_, err := k.Vault.Operator().Accounts.SetRole(t.Context(), ada, account.RoleColonel)
	vaulttest.WantErr(t, "Operator.SetRole(address)", err, nil)
	vaulttest.Want(t, "Account.Role of an unconfirmed address", k.account(t, ada).Role, account.RoleCustomer)
	_, err = k.Vault.Operator().Accounts.ResetPassword(t.Context(), ada, otherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	vaulttest.Want(t, "Caller.Colonel()", k.signIn(t, ada, otherPassword).Colonel(), true)
}

// A stranger signs up with an address of another and never confirms it. The operator's
// account takes its place, and what was mailed for the stranger's is of no use.
func TestOperatorTakesSquattedAddresses(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Manual: true})
	operator := k.Vault.Operator().Accounts
	for _, address := range []caller.Text{ada, bob} {
		vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, address, otherPassword), nil)
	}
	before, err := operator.GetAccount(t.Context(), ada)
	vaulttest.WantErr(t, "GetAccount(unconfirmed)", err, nil)
	shown, err := operator.SetRole(t.Context(), ada, account.RoleColonel)
	if err != nil || shown.Role != account.RoleCustomer {
		t.Errorf("SetRole(unconfirmed): got the role %v and %v, want a customer's until the address is confirmed", shown.Role, err)
	}
	made := k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword, Role: account.RoleColonel})
	if made.ID == before.ID || made.Role != account.RoleColonel {
		t.Errorf("CreateAccount(squatted): got the account %v with the role %v, want a new one of a colonel", made.ID, made.Role)
	}
	vaulttest.Want(t, "the squatter's account", string(vaulttest.Get(t, k.Store, account.BucketAccount, before.ID[:])), "")
	k.signIn(t, ada, rightPassword)
	imported, skipped, err := operator.ImportAccounts(t.Context(), []account.ImportedAccount{{Address: bob}}, true)
	if err != nil || imported != 1 || skipped != 0 {
		t.Errorf("ImportAccounts(squatted): got %d, %d and %v, want one imported", imported, skipped, err)
	}
	k.leap(t, account.PendingLifetime)
	k.account(t, ada)
}
