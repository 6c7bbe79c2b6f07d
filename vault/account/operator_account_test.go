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
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

func TestOperatorCreatesAccounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	made := k.MustCreate(t, signup.OperatorAccount{Address: " Ada-canary@Example.com ", Password: vaulttest.Password, Role: account.RoleColonel, Locale: "pt-BR"})
	vaulttest.Want(t, "Account.Address", made.Address, vaulttest.Ada)
	vaulttest.Want(t, "Account.Role", made.Role, account.RoleColonel)
	vaulttest.Want(t, "Account.Verified", made.Verified, true)
	vaulttest.Want(t, "Account.Locale", made.Locale, "pt_BR")
	vaulttest.Want(t, "Account.Created", made.Created, k.Clock.Now())
	vaulttest.Want(t, "Account.TTLCeiling", made.TTLCeiling, 30*24*time.Hour)
	vaulttest.Want(t, "Account.SecretLimit", made.SecretLimit, 1<<20)
	vaulttest.Want(t, "Caller.Colonel()", k.MustSignIn(t, vaulttest.Ada, vaulttest.Password).Colonel(), true)
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Bob})
	k.WantSignIn(t, vaulttest.Bob, "", refusal.ErrCredentials)
	wantMailless(t, k)

	tests := []struct {
		name    string
		account signup.OperatorAccount
		want    error
		field   string
	}{
		{"taken", signup.OperatorAccount{Address: "ADA-canary@example.com"}, refusal.ErrDuplicate, ""},
		{"no address", signup.OperatorAccount{Address: "ada"}, refusal.ErrInvalid, "address"},
		{"bad password", signup.OperatorAccount{Address: "eve@example.com", Password: "short"}, refusal.ErrInvalid, "password"},
		{"bad role", signup.OperatorAccount{Address: "eve@example.com", Role: 3}, refusal.ErrInvalid, "role"},
		{"bad locale", signup.OperatorAccount{Address: "eve@example.com", Locale: "xx"}, refusal.ErrInvalid, "locale"},
	}
	for _, test := range tests {
		_, err := operator.SignUps.CreateAccount(t.Context(), test.account)
		vaulttest.WantErr(t, "Operator.CreateAccount("+test.name+")", err, test.want)
		if test.field != "" {
			vaulttest.WantInvalid(t, "Operator.CreateAccount("+test.name+")", err, test.field)
		}
	}
	k.WantNoAccount(t, "eve@example.com")
	vaulttest.Want(t, "audit rows of new accounts", k.AuditCount(t, audit.Account), 3)
}

// wantMailless fails the test if mails wait.
func wantMailless(t *testing.T, k *vaulttest.AccountKit) {
	t.Helper()
	vaulttest.Want(t, "mails that wait", len(vaulttest.RowsIn(t, k.Store, outbox.BucketOutbox)), 0)
}

func TestOperatorListsAccounts(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	wanted := []string{"host-canary@example.com"}
	for i := range 7 {
		k.Clock.Advance(time.Second)
		address := "member" + strconv.Itoa(i) + "@example.com"
		k.MustCreate(t, signup.OperatorAccount{Address: caller.Text(address)})
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
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	own := k.MustAccount(t, vaulttest.Ada)
	session, token := k.Browser(t), k.TokenOf(t, own)
	id := caller.Text(k.AccountOf(t, vaulttest.Ada).ID.String())

	shown, err := operator.Accounts.SetRole(t.Context(), id, account.RoleColonel)
	vaulttest.WantErr(t, "Operator.SetRole(id)", err, nil)
	vaulttest.Want(t, "Account.Role", shown.Role, account.RoleColonel)
	vaulttest.Want(t, "Caller.Colonel()", k.MustAuthenticate(t, session).Colonel(), true)
	_, err = operator.Accounts.SetRole(t.Context(), vaulttest.Ada, account.RoleCustomer)
	vaulttest.WantErr(t, "Operator.SetRole(address)", err, nil)
	vaulttest.Want(t, "Caller.Colonel()", k.MustAuthenticate(t, session).Colonel(), false)
	_, err = operator.Accounts.SetRole(t.Context(), vaulttest.Ada, 0)
	vaulttest.WantInvalid(t, "Operator.SetRole(no role)", err, "role")

	shown, err = operator.Accounts.DisableAccount(t.Context(), vaulttest.Ada, true)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	vaulttest.Want(t, "Account.Disabled", shown.Disabled, true)
	k.WantRefused(t, session)
	k.WantRefused(t, token)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(disabled)", err, refusal.ErrUnauthenticated)
	_, err = operator.Accounts.DisableAccount(t.Context(), vaulttest.Ada, false)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	k.WantRefused(t, session)
	k.MustAuthenticate(t, token)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)

	_, err = operator.Accounts.ResetPassword(t.Context(), vaulttest.Ada, "short")
	vaulttest.WantInvalid(t, "Operator.ResetPassword(short)", err, "password")
	_, err = operator.Accounts.ResetPassword(t.Context(), vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	k.WantRefused(t, token)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword)
	for kind, number := range map[audit.Type]int{audit.Role: 2, audit.Disable: 2, audit.Reset: 1} {
		vaulttest.Want(t, "audit rows", k.AuditCount(t, kind), number)
	}
}

func TestOperatorFindsNobody(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	operator := k.Vault.Operator()
	for _, owner := range []caller.Text{"", "nobody", vaulttest.Ada, "0123456789abcdef0123456789abcdef"} {
		_, getErr := operator.Accounts.GetAccount(t.Context(), owner)
		_, roleErr := operator.Accounts.SetRole(t.Context(), owner, account.RoleColonel)
		_, disableErr := operator.Accounts.DisableAccount(t.Context(), owner, true)
		_, resetErr := operator.Accounts.ResetPassword(t.Context(), owner, vaulttest.Password)
		_, destroyErr := operator.Accounts.DestroyAccount(t.Context(), owner)
		for _, err := range []error{getErr, roleErr, disableErr, resetErr, destroyErr} {
			vaulttest.WantErr(t, "Operator on an unknown account", err, refusal.ErrNotFound)
		}
	}
}

// A role takes effect only once it is known whose the address is.
func TestColonelsHaveConfirmedAddresses(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{vaulttest.Ada}}})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	vaulttest.Want(t, "Caller.Colonel() of an unconfirmed address", k.MustSignIn(t, vaulttest.Ada, vaulttest.Password).Colonel(), false)
	_, err := k.Vault.Operator().Accounts.SetRole(t.Context(), vaulttest.Ada, account.RoleColonel)
	vaulttest.WantErr(t, "Operator.SetRole(address)", err, nil)
	vaulttest.Want(t, "Account.Role of an unconfirmed address", k.AccountOf(t, vaulttest.Ada).Role, account.RoleCustomer)
	_, err = k.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	vaulttest.Want(t, "Caller.Colonel()", k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword).Colonel(), true)
}

// A stranger signs up with an address of another and never confirms it. The operator's
// account takes its place, and what was mailed for the stranger's is of no use.
func TestOperatorTakesSquattedAddresses(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{Manual: true})
	operator := k.Vault.Operator().Accounts
	for _, address := range []caller.Text{vaulttest.Ada, vaulttest.Bob} {
		vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, address, vaulttest.OtherPassword), nil)
	}
	before, err := operator.GetAccount(t.Context(), vaulttest.Ada)
	vaulttest.WantErr(t, "GetAccount(unconfirmed)", err, nil)
	shown, err := operator.SetRole(t.Context(), vaulttest.Ada, account.RoleColonel)
	if err != nil || shown.Role != account.RoleCustomer {
		t.Errorf("SetRole(unconfirmed): got the role %v and %v, want a customer's until the address is confirmed", shown.Role, err)
	}
	made := k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password, Role: account.RoleColonel})
	if made.ID == before.ID || made.Role != account.RoleColonel {
		t.Errorf("CreateAccount(squatted): got the account %v with the role %v, want a new one of a colonel", made.ID, made.Role)
	}
	vaulttest.Want(t, "the squatter's account", string(vaulttest.Get(t, k.Store, account.BucketAccount, before.ID[:])), "")
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
	imported, skipped, err := k.Vault.Operator().SignUps.ImportAccounts(t.Context(), []signup.ImportedAccount{{Address: vaulttest.Bob}}, true)
	if err != nil || imported != 1 || skipped != 0 {
		t.Errorf("ImportAccounts(squatted): got %d, %d and %v, want one imported", imported, skipped, err)
	}
	k.Leap(t, account.PendingLifetime)
	k.AccountOf(t, vaulttest.Ada)
}
