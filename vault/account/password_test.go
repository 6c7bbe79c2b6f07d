package account_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

// token makes an API token of the caller's account.
func (k *accountKit) token(t *testing.T, c caller.Caller) session.Credential {
	t.Helper()
	token, _, err := k.Vault.Tokens.GenerateAPIToken(t.Context(), c, credential.NewToken{})
	if err != nil {
		t.Fatalf("GenerateAPIToken(caller): got %v, want nil", err)
	}
	return session.Credential{Token: caller.Text(token.Expose())}
}

// wantRefused fails the test unless a credential is refused.
func (k *accountKit) wantRefused(t *testing.T, cred session.Credential) {
	t.Helper()
	_, err := k.Vault.Sessions.Authenticate(t.Context(), vaulttest.Caller(7).Network, cred)
	vaulttest.WantErr(t, "Authenticate(ended credential)", err, refusal.ErrUnauthenticated)
}

// browser signs in to ada's account and returns the session's credential.
func (k *accountKit) browser(t *testing.T) session.Credential {
	t.Helper()
	in, err := k.Vault.Sessions.CreateSession(t.Context(), vaulttest.Caller(7), ada, rightPassword, false)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return session.Credential{Session: caller.Text(in.Cookie.Expose())}
}

// listed returns how many receipts the caller's list shows and hides.
func (k *accountKit) listed(t *testing.T, c caller.Caller) (shown, sealed int) {
	t.Helper()
	page, err := k.Vault.Receipts.ListMetadata(t.Context(), c, secret.ListQuery{})
	if err != nil {
		t.Fatalf("ListMetadata(caller): got %v, want nil", err)
	}
	return len(page.Metadata), page.Sealed
}

// The reasons come in the order in which people can do something about them.
func TestChangePasswordRefuses(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	c := k.member(t, ada)
	tests := []struct {
		name          string
		caller        caller.Caller
		current, next caller.Text
		want          error
	}{
		{"nobody", caller.Caller{}, rightPassword, otherPassword, refusal.ErrUnauthenticated},
		{"wrong current, bad next", c, "wrong password", "short", refusal.ErrCredentials},
		{"the same", c, rightPassword, rightPassword, refusal.ErrInvalid},
		{"short", c, rightPassword, "short", refusal.ErrInvalid},
		{"common", c, rightPassword, "Password123", refusal.ErrInvalid},
		{"local part", c, rightPassword, "Ada-Canary", refusal.ErrInvalid},
		{"address", c, rightPassword, ada, refusal.ErrInvalid},
	}
	for _, test := range tests {
		err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), test.caller, test.current, test.next)
		vaulttest.WantErr(t, "ChangeAccountPassword("+test.name+")", err, test.want)
		if errors.Is(test.want, refusal.ErrInvalid) {
			vaulttest.WantInvalid(t, "ChangeAccountPassword("+test.name+")", err, "new_password")
		}
	}
	k.signIn(t, ada, rightPassword)
}

// A changed password ends the other sessions and what was mailed on the
// strength of the old one. The list stays, and so do API tokens.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	own := k.member(t, ada)
	other := k.browser(t)
	token := k.token(t, own)
	k.MustConceal(t, own, "kept", secret.Wish{})
	vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), own, bob, rightPassword), nil)
	link := k.link(t, outbox.MailAddress, bob)
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	reset := k.link(t, outbox.MailReset, ada)

	err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), own, rightPassword, otherPassword)
	vaulttest.WantErr(t, "ChangeAccountPassword(current, next)", err, nil)
	k.wantRefused(t, other)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(own session)", err, nil)
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)
	for name, c := range map[string]caller.Caller{"token": k.mustBe(t, token), "new session": k.signIn(t, ada, otherPassword)} {
		shown, sealed := k.listed(t, c)
		vaulttest.Want(t, "receipts that the "+name+" lists", shown, 1)
		vaulttest.Want(t, "receipts that the "+name+" cannot list", sealed, 0)
	}
	vaulttest.WantErr(t, "ConfirmAddressChange(token)", k.Vault.Accounts.ConfirmAddressChange(t.Context(), own, link), refusal.ErrTicket)
	vaulttest.Want(t, "Account.PendingAddress", k.account(t, ada).PendingAddress, "")
	_, err = k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, reset, "another long one")
	vaulttest.WantErr(t, "ResetPassword(token)", err, refusal.ErrTicket)
	vaulttest.Want(t, "audit rows of changed passwords", k.count(t, audit.Password), 1)
}

// An account without a password has none that could be changed.
func TestChangePasswordOfAnAccountWithoutOne(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, account.OperatorAccount{Address: ada})
	token, _, err := k.Vault.Operator().Tokens.CreateToken(t.Context(), ada, credential.NewToken{})
	vaulttest.WantErr(t, "Operator.CreateToken(address)", err, nil)
	c := k.mustBe(t, session.Credential{Token: caller.Text(token.Expose())})
	for _, current := range []caller.Text{"", rightPassword} {
		err := k.Vault.Passwords.ChangeAccountPassword(t.Context(), c, current, otherPassword)
		vaulttest.WantErr(t, "ChangeAccountPassword(no password)", err, refusal.ErrCredentials)
	}
	k.wantSignIn(t, ada, "", refusal.ErrCredentials)
}

// A reset ends every credential and closes the list so far; what was shared
// lives on, and what is shared from then on is listed.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	own := k.member(t, ada)
	session, token := k.browser(t), k.token(t, own)
	kept := k.MustConceal(t, own, "kept", secret.Wish{})
	k.MustConceal(t, own, "kept as well", secret.Wish{})
	for range account.PasswordNetworkTries {
		k.wantSignIn(t, ada, "wrong password", refusal.ErrCredentials)
	}
	k.wantSignIn(t, ada, rightPassword, refusal.ErrLocked)

	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, " ADA-canary@example.com"), nil)
	link := k.link(t, outbox.MailReset, ada)
	_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, link, "short")
	vaulttest.WantInvalid(t, "ResetPassword(short)", err, "new_password")
	sealed, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, link, otherPassword)
	vaulttest.WantErr(t, "ResetPassword(token)", err, nil)
	vaulttest.Want(t, "ResetPassword(token)", sealed, 2)
	_, err = k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, link, "a third password")
	vaulttest.WantErr(t, "ResetPassword(used token)", err, refusal.ErrTicket)

	k.wantRefused(t, session)
	k.wantRefused(t, token)
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)
	c := k.signIn(t, ada, otherPassword)
	vaulttest.Want(t, "Account.SealedCount", k.account(t, ada).SealedCount, 2)
	k.MustConceal(t, c, "new", secret.Wish{})
	shown, hidden := k.listed(t, c)
	vaulttest.Want(t, "receipts shown after a reset", shown, 1)
	vaulttest.Want(t, "receipts hidden after a reset", hidden, 2)
	vaulttest.Want(t, "RevealSecret(kept)", k.MustReveal(t, vaulttest.Caller(1), kept.Secret.Key, ""), "kept")
}

// Another reset counts what the list cannot show, and nothing twice.
func TestResetPasswordTwice(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.MustConceal(t, k.member(t, ada), "kept", secret.Wish{})
	for _, password := range []caller.Text{otherPassword, "a third password"} {
		sealed, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), ada, password)
		vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
		vaulttest.Want(t, "Operator.ResetPassword(address)", sealed, 1)
	}
	vaulttest.Want(t, "Account.SealedCount", k.account(t, ada).SealedCount, 1)
}

// The link proves the address, so an account that waits is confirmed by it.
func TestResetConfirmsTheAddress(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	verify := k.link(t, outbox.MailVerify, ada)
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, k.link(t, outbox.MailReset, ada), otherPassword)
	vaulttest.WantErr(t, "ResetPassword(token)", err, nil)
	vaulttest.Want(t, "Account.Verified", k.account(t, ada).Verified, true)
	k.signIn(t, ada, otherPassword)
	vaulttest.WantErr(t, "VerifyAccount(token)", k.confirm(t, verify, rightPassword), refusal.ErrTicket)
}

func TestResetMailsAreFew(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword})
	ask := func() {
		vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	}
	var links []caller.Text
	for range 3 {
		ask()
		links = append(links, k.link(t, outbox.MailReset, ada))
	}
	ask()
	k.wantMails(t)
	for _, superseded := range links[:2] {
		_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, superseded, otherPassword)
		vaulttest.WantErr(t, "ResetPassword(superseded)", err, refusal.ErrTicket)
	}
	_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, links[2], otherPassword)
	vaulttest.WantErr(t, "ResetPassword(latest)", err, nil)
	k.Clock.Advance(time.Hour)
	ask()
	k.wantMails(t, outbox.MailReset)
}

// Who was locked by the operator does not come back by mail.
func TestDisabledAccountsAreNotReset(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword})
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	link := k.link(t, outbox.MailReset, ada)
	_, err := k.Vault.Operator().Accounts.DisableAccount(t.Context(), ada, true)
	vaulttest.WantErr(t, "Operator.DisableAccount(address)", err, nil)
	_, err = k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, link, otherPassword)
	vaulttest.WantErr(t, "ResetPassword(disabled)", err, refusal.ErrTicket)
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)
}

// The attack: a thief of an API token or session resets nothing and keeps
// nothing: what the reset ended stays ended after a restart.
func TestResetHoldsAfterARestart(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	own := k.member(t, ada)
	token := k.token(t, own)
	_, err := k.Vault.Operator().Accounts.ResetPassword(t.Context(), ada, otherPassword)
	vaulttest.WantErr(t, "Operator.ResetPassword(address)", err, nil)
	k.Reopen(t)
	k.wantRefused(t, token)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), k.signIn(t, ada, otherPassword))
	vaulttest.WantErr(t, "GetAccount(caller)", err, nil)
}
