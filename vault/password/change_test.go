package password_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// The reasons come in the order in which people can do something about them.
func TestChangePasswordRefuses(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	c := k.MustAccount(t, vaulttest.Ada)
	tests := []struct {
		name          string
		caller        caller.Caller
		current, next caller.Text
		want          error
	}{
		{"nobody", caller.Caller{}, vaulttest.Password, vaulttest.OtherPassword, refusal.ErrUnauthenticated},
		{"wrong current, bad next", c, "wrong password", "short", refusal.ErrCredentials},
		{"the same", c, vaulttest.Password, vaulttest.Password, refusal.ErrInvalid},
		{"short", c, vaulttest.Password, "short", refusal.ErrInvalid},
		{"common", c, vaulttest.Password, "Password123", refusal.ErrInvalid},
		{"local part", c, vaulttest.Password, "Ada-Canary", refusal.ErrInvalid},
		{"address", c, vaulttest.Password, vaulttest.Ada, refusal.ErrInvalid},
	}
	for _, test := range tests {
		err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), test.caller, test.current, test.next)
		vaulttest.WantErr(t, "ChangeAccountPassword("+test.name+")", err, test.want)
		if errors.Is(test.want, refusal.ErrInvalid) {
			vaulttest.WantInvalid(t, "ChangeAccountPassword("+test.name+")", err, "new_password")
		}
	}
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
}

// A changed password ends the other sessions and what was mailed on the
// strength of the old one. The list stays, and so do API tokens.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	own := k.MustAccount(t, vaulttest.Ada)
	other := k.Browser(t)
	token := k.TokenOf(t, own)
	k.MustConceal(t, own, "kept", secret.Terms{})
	vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), own, vaulttest.Bob, vaulttest.Password), nil)
	link := k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	reset := k.WantLink(t, outbox.MailReset, vaulttest.Ada)

	err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), own, vaulttest.Password, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ChangeAccountPassword(current, next)", err, nil)
	k.WantRefused(t, other)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(own session)", err, nil)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	for name, c := range map[string]caller.Caller{"token": k.MustAuthenticate(t, token), "new session": k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword)} {
		shown, sealed := k.Listed(t, c)
		vaulttest.Want(t, "receipts that the "+name+" lists", shown, 1)
		vaulttest.Want(t, "receipts that the "+name+" cannot list", sealed, 0)
	}
	vaulttest.WantErr(t, "ConfirmAddressChange(token)", k.Vault.SignUps.ConfirmAddressChange(t.Context(), own, link), refusal.ErrTicket)
	vaulttest.Want(t, "Account.PendingAddress", k.AccountOf(t, vaulttest.Ada).PendingAddress, "")
	_, err = k.Vault.ResetPassword(t.Context(), caller.Caller{}, reset, "another long one")
	vaulttest.WantErr(t, "ResetPassword(token)", err, refusal.ErrTicket)
	vaulttest.Want(t, "audit rows of changed passwords", k.AuditCount(t, audit.Password), 1)
}

// An account without a password has none that could be changed.
func TestChangePasswordOfAnAccountWithoutOne(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada})
	token, _, err := k.Vault.Operator().Tokens.CreateToken(t.Context(), vaulttest.Ada, credential.NewToken{})
	vaulttest.WantErr(t, "Operator.CreateToken(address)", err, nil)
	c := k.MustAuthenticate(t, session.Credential{Token: caller.Text(token.Expose())})
	for _, current := range []caller.Text{"", vaulttest.Password} {
		err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, current, vaulttest.OtherPassword)
		vaulttest.WantErr(t, "ChangeAccountPassword(no password)", err, refusal.ErrCredentials)
	}
	k.WantSignIn(t, vaulttest.Ada, "", refusal.ErrCredentials)
}

// A reset ends every credential and closes the list so far; what was shared
// lives on, and what is shared from then on is listed.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	own := k.MustAccount(t, vaulttest.Ada)
	session, token := k.Browser(t), k.TokenOf(t, own)
	kept := k.MustConceal(t, own, "kept", secret.Terms{})
	k.MustConceal(t, own, "kept as well", secret.Terms{})
	for range password.NetworkTries {
		k.WantSignIn(t, vaulttest.Ada, "wrong password", refusal.ErrCredentials)
	}
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrLocked)

	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, " ADA-canary@example.com"), nil)
	link := k.WantLink(t, outbox.MailReset, vaulttest.Ada)
	_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, link, "short")
	vaulttest.WantInvalid(t, "ResetPassword(short)", err, "new_password")
	sealed, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, link, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(token)", err, nil)
	vaulttest.Want(t, "ResetPassword(token)", sealed, 2)
	_, err = k.Vault.ResetPassword(t.Context(), caller.Caller{}, link, "a third password")
	vaulttest.WantErr(t, "ResetPassword(used token)", err, refusal.ErrTicket)

	k.WantRefused(t, session)
	k.WantRefused(t, token)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	c := k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.Want(t, "Account.SealedCount", k.AccountOf(t, vaulttest.Ada).SealedCount, 2)
	k.MustConceal(t, c, "new", secret.Terms{})
	shown, hidden := k.Listed(t, c)
	vaulttest.Want(t, "receipts shown after a reset", shown, 1)
	vaulttest.Want(t, "receipts hidden after a reset", hidden, 2)
	vaulttest.Want(t, "RevealSecret(kept)", k.MustReveal(t, vaulttest.Caller(1), kept.Secret.Key, ""), "kept")
}

// Another reset counts what the list cannot show, and nothing twice.
func TestResetPasswordTwice(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustConceal(t, k.MustAccount(t, vaulttest.Ada), "kept", secret.Terms{})
	for _, password := range []caller.Text{vaulttest.OtherPassword, "a third password"} {
		sealed, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.Ada, password)
		vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
		vaulttest.Want(t, "Operator.ResetPassword(address)", sealed, 1)
	}
	vaulttest.Want(t, "Account.SealedCount", k.AccountOf(t, vaulttest.Ada).SealedCount, 1)
}

// The link proves the address, so an account that waits is confirmed by it.
func TestResetConfirmsTheAddress(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	verify := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, k.WantLink(t, outbox.MailReset, vaulttest.Ada), vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(token)", err, nil)
	vaulttest.Want(t, "Account.Verified", k.AccountOf(t, vaulttest.Ada).Verified, true)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "VerifyAccount(token)", k.Confirm(t, verify, vaulttest.Password), refusal.ErrTicket)
}

func TestResetMailsAreFew(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
	ask := func() {
		vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	}
	var links []caller.Text
	for range 3 {
		ask()
		links = append(links, k.WantLink(t, outbox.MailReset, vaulttest.Ada))
	}
	ask()
	k.WantMails(t)
	for _, superseded := range links[:2] {
		_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, superseded, vaulttest.OtherPassword)
		vaulttest.WantErr(t, "ResetPassword(superseded)", err, refusal.ErrTicket)
	}
	_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, links[2], vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(latest)", err, nil)
	k.Clock.Advance(time.Hour)
	ask()
	k.WantMails(t, outbox.MailReset)
}

// Who was locked by the operator does not come back by mail.
func TestDisabledAccountsAreNotReset(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	link := k.WantLink(t, outbox.MailReset, vaulttest.Ada)
	_, err := k.Vault.Operator().Accounts.DisableAccount(t.Context(), vaulttest.Ada, true)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	_, err = k.Vault.ResetPassword(t.Context(), caller.Caller{}, link, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(disabled)", err, refusal.ErrTicket)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
}

// The attack: a thief of an API token or session resets nothing and keeps
// nothing: what the reset ended stays ended after a restart.
func TestResetHoldsAfterARestart(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	own := k.MustAccount(t, vaulttest.Ada)
	token := k.TokenOf(t, own)
	_, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), vaulttest.Ada, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	k.Reopen(t)
	k.WantRefused(t, token)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), k.MustSignIn(t, vaulttest.Ada, vaulttest.OtherPassword))
	vaulttest.WantErr(t, "GetAccount(caller)", err, nil)
}
