package vault_test

import (
	"errors"
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/vaulttest"
)

// token makes an API token of the caller's account.
func (k *accountKit) token(t *testing.T, c vault.Caller) vault.Credential {
	t.Helper()
	token, _, err := k.Vault.GenerateAPIToken(t.Context(), c, vault.NewToken{})
	if err != nil {
		t.Fatalf("GenerateAPIToken(caller): got %v, want nil", err)
	}
	return vault.Credential{Token: vault.Text(token.Expose())}
}

// wantNobody fails the test unless a credential is refused.
func (k *accountKit) wantNobody(t *testing.T, cred vault.Credential) {
	t.Helper()
	_, err := k.Vault.Authenticate(t.Context(), vaulttest.Caller(7).Network, cred)
	wantErr(t, "Authenticate(ended credential)", err, vault.ErrUnauthenticated)
}

// browser signs in to ada's account and returns the session's credential.
func (k *accountKit) browser(t *testing.T) vault.Credential {
	t.Helper()
	in, err := k.Vault.CreateSession(t.Context(), vaulttest.Caller(7), ada, rightPassword, false)
	if err != nil {
		t.Fatalf("CreateSession(address, password): got %v, want nil", err)
	}
	return vault.Credential{Session: vault.Text(in.Cookie.Expose())}
}

// listed returns how many receipts the caller's list shows and hides.
func (k *accountKit) listed(t *testing.T, c vault.Caller) (shown, sealed int) {
	t.Helper()
	page, err := k.Vault.ListMetadata(t.Context(), c, vault.ListQuery{})
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
		caller        vault.Caller
		current, next vault.Text
		want          error
	}{
		{"nobody", vault.Caller{}, rightPassword, otherPassword, vault.ErrUnauthenticated},
		{"wrong current, bad next", c, "wrong password", "short", vault.ErrCredentials},
		{"the same", c, rightPassword, rightPassword, vault.ErrInvalid},
		{"short", c, rightPassword, "short", vault.ErrInvalid},
		{"common", c, rightPassword, "Password123", vault.ErrInvalid},
		{"local part", c, rightPassword, "Ada-Canary", vault.ErrInvalid},
		{"address", c, rightPassword, ada, vault.ErrInvalid},
	}
	for _, test := range tests {
		err := k.Vault.ChangeAccountPassword(t.Context(), test.caller, test.current, test.next)
		wantErr(t, "ChangeAccountPassword("+test.name+")", err, test.want)
		if errors.Is(test.want, vault.ErrInvalid) {
			wantInvalid(t, "ChangeAccountPassword("+test.name+")", err, "new_password")
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
	k.MustConceal(t, own, "kept", vault.Wish{})
	wantErr(t, "RequestAddressChange(address)", k.Vault.RequestAddressChange(t.Context(), own, bob, rightPassword), nil)
	link := k.link(t, vault.MailAddress, bob)
	wantErr(t, "RequestPasswordReset(address)", k.Vault.RequestPasswordReset(t.Context(), vault.Caller{}, ada), nil)
	reset := k.link(t, vault.MailReset, ada)

	err := k.Vault.ChangeAccountPassword(t.Context(), own, rightPassword, otherPassword)
	wantErr(t, "ChangeAccountPassword(current, next)", err, nil)
	k.wantNobody(t, other)
	_, err = k.Vault.GetAccount(t.Context(), own)
	wantErr(t, "GetAccount(own session)", err, nil)
	k.wantSignIn(t, ada, rightPassword, vault.ErrCredentials)
	for name, c := range map[string]vault.Caller{"token": k.mustBe(t, token), "new session": k.signIn(t, ada, otherPassword)} {
		shown, sealed := k.listed(t, c)
		want(t, "receipts that the "+name+" lists", shown, 1)
		want(t, "receipts that the "+name+" cannot list", sealed, 0)
	}
	wantErr(t, "ConfirmAddressChange(token)", k.Vault.ConfirmAddressChange(t.Context(), own, link), vault.ErrTicket)
	want(t, "Account.PendingAddress", k.account(t, ada).PendingAddress, "")
	_, err = k.Vault.ResetPassword(t.Context(), vault.Caller{}, reset, "another long one")
	wantErr(t, "ResetPassword(token)", err, vault.ErrTicket)
	want(t, "audit rows of changed passwords", k.count(t, vault.AuditPassword), 1)
}

// An account without a password has none that could be changed.
func TestChangePasswordOfAnAccountWithoutOne(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, vault.OperatorAccount{Address: ada})
	token, _, err := k.Vault.Operator().CreateToken(t.Context(), ada, vault.NewToken{})
	wantErr(t, "Operator.CreateToken(address)", err, nil)
	c := k.mustBe(t, vault.Credential{Token: vault.Text(token.Expose())})
	for _, current := range []vault.Text{"", rightPassword} {
		err := k.Vault.ChangeAccountPassword(t.Context(), c, current, otherPassword)
		wantErr(t, "ChangeAccountPassword(no password)", err, vault.ErrCredentials)
	}
	k.wantSignIn(t, ada, "", vault.ErrCredentials)
}

// A reset ends every credential and closes the list so far; what was shared
// lives on, and what is shared from then on is listed.
func TestResetPassword(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return twiceStore{s} }})
	own := k.member(t, ada)
	session, token := k.browser(t), k.token(t, own)
	kept := k.MustConceal(t, own, "kept", vault.Wish{})
	k.MustConceal(t, own, "kept as well", vault.Wish{})
	for range vault.PasswordNetworkTries {
		k.wantSignIn(t, ada, "wrong password", vault.ErrCredentials)
	}
	k.wantSignIn(t, ada, rightPassword, vault.ErrLocked)

	wantErr(t, "RequestPasswordReset(address)", k.Vault.RequestPasswordReset(t.Context(), vault.Caller{}, " ADA-canary@example.com"), nil)
	link := k.link(t, vault.MailReset, ada)
	_, err := k.Vault.ResetPassword(t.Context(), vault.Caller{}, link, "short")
	wantInvalid(t, "ResetPassword(short)", err, "new_password")
	sealed, err := k.Vault.ResetPassword(t.Context(), vault.Caller{}, link, otherPassword)
	wantErr(t, "ResetPassword(token)", err, nil)
	want(t, "ResetPassword(token)", sealed, 2)
	_, err = k.Vault.ResetPassword(t.Context(), vault.Caller{}, link, "a third password")
	wantErr(t, "ResetPassword(used token)", err, vault.ErrTicket)

	k.wantNobody(t, session)
	k.wantNobody(t, token)
	k.wantSignIn(t, ada, rightPassword, vault.ErrCredentials)
	c := k.signIn(t, ada, otherPassword)
	want(t, "Account.SealedCount", k.account(t, ada).SealedCount, 2)
	k.MustConceal(t, c, "new", vault.Wish{})
	shown, hidden := k.listed(t, c)
	want(t, "receipts shown after a reset", shown, 1)
	want(t, "receipts hidden after a reset", hidden, 2)
	want(t, "RevealSecret(kept)", k.MustReveal(t, vaulttest.Caller(1), kept.Secret.Key, ""), "kept")
}

// Another reset counts what the list cannot show, and nothing twice.
func TestResetPasswordTwice(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.MustConceal(t, k.member(t, ada), "kept", vault.Wish{})
	for _, password := range []vault.Text{otherPassword, "a third password"} {
		sealed, err := k.Vault.Operator().ResetPassword(t.Context(), ada, password)
		wantErr(t, "Operator.ResetPassword(address)", err, nil)
		want(t, "Operator.ResetPassword(address)", sealed, 1)
	}
	want(t, "Account.SealedCount", k.account(t, ada).SealedCount, 1)
}

// The link proves the address, so an account that waits is confirmed by it.
func TestResetConfirmsTheAddress(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	verify := k.link(t, vault.MailVerify, ada)
	wantErr(t, "RequestPasswordReset(address)", k.Vault.RequestPasswordReset(t.Context(), vault.Caller{}, ada), nil)
	_, err := k.Vault.ResetPassword(t.Context(), vault.Caller{}, k.link(t, vault.MailReset, ada), otherPassword)
	wantErr(t, "ResetPassword(token)", err, nil)
	want(t, "Account.Verified", k.account(t, ada).Verified, true)
	k.signIn(t, ada, otherPassword)
	wantErr(t, "VerifyAccount(token)", k.confirm(t, verify, rightPassword), vault.ErrTicket)
}

func TestResetMailsAreFew(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, vault.OperatorAccount{Address: ada, Password: rightPassword})
	ask := func() {
		wantErr(t, "RequestPasswordReset(address)", k.Vault.RequestPasswordReset(t.Context(), vault.Caller{}, ada), nil)
	}
	var links []vault.Text
	for range 3 {
		ask()
		links = append(links, k.link(t, vault.MailReset, ada))
	}
	ask()
	k.wantMails(t)
	for _, superseded := range links[:2] {
		_, err := k.Vault.ResetPassword(t.Context(), vault.Caller{}, superseded, otherPassword)
		wantErr(t, "ResetPassword(superseded)", err, vault.ErrTicket)
	}
	_, err := k.Vault.ResetPassword(t.Context(), vault.Caller{}, links[2], otherPassword)
	wantErr(t, "ResetPassword(latest)", err, nil)
	k.Clock.Advance(time.Hour)
	ask()
	k.wantMails(t, vault.MailReset)
}

// Who was locked by the operator does not come back by mail.
func TestDisabledAccountsAreNotReset(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.made(t, vault.OperatorAccount{Address: ada, Password: rightPassword})
	wantErr(t, "RequestPasswordReset(address)", k.Vault.RequestPasswordReset(t.Context(), vault.Caller{}, ada), nil)
	link := k.link(t, vault.MailReset, ada)
	_, err := k.Vault.Operator().DisableAccount(t.Context(), ada, true)
	wantErr(t, "Operator.DisableAccount(address)", err, nil)
	_, err = k.Vault.ResetPassword(t.Context(), vault.Caller{}, link, otherPassword)
	wantErr(t, "ResetPassword(disabled)", err, vault.ErrTicket)
	k.wantSignIn(t, ada, rightPassword, vault.ErrCredentials)
}

// The attack: a thief of an API token or session resets nothing and keeps
// nothing: what the reset ended stays ended after a restart.
func TestResetHoldsAfterARestart(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	own := k.member(t, ada)
	token := k.token(t, own)
	_, err := k.Vault.Operator().ResetPassword(t.Context(), ada, otherPassword)
	wantErr(t, "Operator.ResetPassword(address)", err, nil)
	k.Reopen(t)
	k.wantNobody(t, token)
	_, err = k.Vault.GetAccount(t.Context(), k.signIn(t, ada, otherPassword))
	wantErr(t, "GetAccount(caller)", err, nil)
}
