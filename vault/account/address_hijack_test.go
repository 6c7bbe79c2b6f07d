package account_test

import (
	"testing"

	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

// The attack: an attacker's own account asks for the address of the victim, who
// is on the operator's list of colonels and has no account yet. The victim gets
// a mail that asks to confirm an address, and opens its link. The attacker's
// account must not get the address, and with it the colonel's role: the link
// takes a session of the account that asked for it, and the victim has none.
// What was tried leaves the link good for the account that asked.
func TestAddressChangeToAnothersAddress(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{bob}}})
	attacker := k.member(t, "attacker@example.com")
	other := k.member(t, "other@example.com")
	vaulttest.WantErr(t, "RequestAddressChange(victim's)", k.Vault.Accounts.RequestAddressChange(t.Context(), attacker, bob, rightPassword), nil)
	link := k.link(t, outbox.MailAddress, bob)
	before := k.count(t, audit.Address)
	for name, caller := range map[string]caller.Caller{"nobody": {}, "another account": other} {
		err := k.Vault.Accounts.ConfirmAddressChange(t.Context(), caller, link)
		vaulttest.WantErr(t, "ConfirmAddressChange(link) by "+name, err, refusal.ErrUnauthenticated)
	}
	k.wantMails(t)
	k.wantNoAccount(t, bob)
	k.wantSignIn(t, bob, rightPassword, refusal.ErrCredentials)
	c := k.signIn(t, "attacker@example.com", rightPassword)
	vaulttest.Want(t, "Caller.Colonel() of the attacker", c.Colonel(), false)
	vaulttest.Want(t, "audit rows of changed addresses", k.count(t, audit.Address), before)

	// The victim's own sign-up takes the address for good.
	vaulttest.WantErr(t, "CreateAccount(by the victim)", k.signUp(t, bob, ""), nil)
	vaulttest.WantErr(t, "VerifyAccount(token, password)", k.confirm(t, k.link(t, outbox.MailVerify, bob), victimsPassword), nil)
	vaulttest.WantErr(t, "ConfirmAddressChange(taken)", k.Vault.Accounts.ConfirmAddressChange(t.Context(), attacker, link), refusal.ErrTicket)
	vaulttest.Want(t, "Caller.Colonel() of the victim", k.signIn(t, bob, victimsPassword).Colonel(), true)
}

// Refusals do not use up the link: the account that asked confirms it, with
// any of its sessions or with an API token.
func TestAddressLinkOutlivesRefusals(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"another session", "a token"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			k := newAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{bob}}})
			own, other := k.member(t, ada), k.member(t, "other@example.com")
			token := k.token(t, own)
			vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), own, bob, rightPassword), nil)
			link := k.link(t, outbox.MailAddress, bob)
			for range 3 {
				err := k.Vault.Accounts.ConfirmAddressChange(t.Context(), caller.Caller{}, link)
				vaulttest.WantErr(t, "ConfirmAddressChange(link) by nobody", err, refusal.ErrUnauthenticated)
				err = k.Vault.Accounts.ConfirmAddressChange(t.Context(), other, link)
				vaulttest.WantErr(t, "ConfirmAddressChange(link) by another account", err, refusal.ErrUnauthenticated)
			}
			vaulttest.Want(t, "Account.PendingAddress", k.account(t, ada).PendingAddress, bob)
			caller := k.mustBe(t, session.Credential{Token: token.Token})
			if by == "another session" {
				caller = k.signIn(t, ada, rightPassword)
			}
			vaulttest.WantErr(t, "ConfirmAddressChange(link)", k.Vault.Accounts.ConfirmAddressChange(t.Context(), caller, link), nil)
			vaulttest.Want(t, "Caller.Colonel() of the owner", k.signIn(t, bob, rightPassword).Colonel(), true)
		})
	}
}
