package signup_test

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
	k := vaulttest.NewAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{vaulttest.Bob}}})
	attacker := k.MustAccount(t, "attacker@example.com")
	other := k.MustAccount(t, "other@example.com")
	vaulttest.WantErr(t, "RequestAddressChange(victim's)", k.Vault.SignUps.RequestAddressChange(t.Context(), attacker, vaulttest.Bob, vaulttest.Password), nil)
	link := k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
	before := k.AuditCount(t, audit.Address)
	for name, caller := range map[string]caller.Caller{"nobody": {}, "another account": other} {
		err := k.Vault.SignUps.ConfirmAddressChange(t.Context(), caller, link)
		vaulttest.WantErr(t, "ConfirmAddressChange(link) by "+name, err, refusal.ErrUnauthenticated)
	}
	k.WantMails(t)
	k.WantNoAccount(t, vaulttest.Bob)
	k.WantSignIn(t, vaulttest.Bob, vaulttest.Password, refusal.ErrCredentials)
	c := k.MustSignIn(t, "attacker@example.com", vaulttest.Password)
	vaulttest.Want(t, "Caller.Colonel() of the attacker", c.Colonel(), false)
	vaulttest.Want(t, "audit rows of changed addresses", k.AuditCount(t, audit.Address), before)

	// The victim's own sign-up takes the address for good.
	vaulttest.WantErr(t, "CreateAccount(by the victim)", k.SignUp(t, vaulttest.Bob, ""), nil)
	vaulttest.WantErr(t, "VerifyAccount(token, password)", k.Confirm(t, k.WantLink(t, outbox.MailVerify, vaulttest.Bob), victimsPassword), nil)
	vaulttest.WantErr(t, "ConfirmAddressChange(taken)", k.Vault.SignUps.ConfirmAddressChange(t.Context(), attacker, link), refusal.ErrTicket)
	vaulttest.Want(t, "Caller.Colonel() of the victim", k.MustSignIn(t, vaulttest.Bob, victimsPassword).Colonel(), true)
}

// Refusals do not use up the link: the account that asked confirms it, with
// any of its sessions or with an API token.
func TestAddressLinkOutlivesRefusals(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"another session", "a token"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.NewAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{vaulttest.Bob}}})
			own, other := k.MustAccount(t, vaulttest.Ada), k.MustAccount(t, "other@example.com")
			token := k.TokenOf(t, own)
			vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), own, vaulttest.Bob, vaulttest.Password), nil)
			link := k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
			for range 3 {
				err := k.Vault.SignUps.ConfirmAddressChange(t.Context(), caller.Caller{}, link)
				vaulttest.WantErr(t, "ConfirmAddressChange(link) by nobody", err, refusal.ErrUnauthenticated)
				err = k.Vault.SignUps.ConfirmAddressChange(t.Context(), other, link)
				vaulttest.WantErr(t, "ConfirmAddressChange(link) by another account", err, refusal.ErrUnauthenticated)
			}
			vaulttest.Want(t, "Account.PendingAddress", k.AccountOf(t, vaulttest.Ada).PendingAddress, vaulttest.Bob)
			caller := k.MustAuthenticate(t, session.Credential{Token: token.Token})
			if by == "another session" {
				caller = k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
			}
			vaulttest.WantErr(t, "ConfirmAddressChange(link)", k.Vault.SignUps.ConfirmAddressChange(t.Context(), caller, link), nil)
			vaulttest.Want(t, "Caller.Colonel() of the owner", k.MustSignIn(t, vaulttest.Bob, vaulttest.Password).Colonel(), true)
		})
	}
}
