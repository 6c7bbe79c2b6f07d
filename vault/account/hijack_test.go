package account_test

import (
	"testing"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

const (
	attackersPassword caller.Text = "chosen by the attacker"
	victimsPassword   caller.Text = "chosen by the victim"
)

// The attack: an attacker signs up with the address of the victim, a colonel
// by the policy, and with a password. The victim signs up within five minutes,
// which changes nothing, and opens the link that the attacker's sign-up caused.
// The account must not open for what came with either sign-up.
func TestSignUpWithAnothersAddress(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{ada}}})
	vaulttest.WantErr(t, "CreateAccount(by the attacker)", k.signUp(t, ada, attackersPassword), nil)
	k.Clock.Advance(time.Minute)
	vaulttest.WantErr(t, "CreateAccount(by the victim)", k.signUp(t, ada, otherPassword), nil)
	token := k.link(t, outbox.MailVerify, ada)
	for _, password := range []caller.Text{"", "short", ada} {
		vaulttest.WantErr(t, "VerifyAccount(token, bad password)", k.confirm(t, token, password), refusal.ErrInvalid)
	}
	k.wantSignIn(t, ada, attackersPassword, refusal.ErrCredentials)
	vaulttest.WantErr(t, "VerifyAccount(token, password)", k.confirm(t, token, victimsPassword), nil)
	k.wantSignIn(t, ada, attackersPassword, refusal.ErrCredentials)
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)
	vaulttest.Want(t, "Caller.Colonel() of the victim", k.signIn(t, ada, victimsPassword).Colonel(), true)
}

// The same with each of the other ways to a link: an invite, and asking for
// the mail again.
func TestInviteWithAnothersAddress(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{
		Address: ada, Password: attackersPassword, Invite: k.invite(t, ""),
	})
	vaulttest.WantErr(t, "CreateAccount(invite, by the attacker)", err, nil)
	k.wantMails(t, outbox.MailVerify)
	k.Clock.Advance(5 * time.Minute)
	vaulttest.WantErr(t, "ResendVerification(by the victim)", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, ada), nil)
	vaulttest.WantErr(t, "VerifyAccount(token, password)", k.confirm(t, k.link(t, outbox.MailVerify, ada), victimsPassword), nil)
	k.wantSignIn(t, ada, attackersPassword, refusal.ErrCredentials)
	k.signIn(t, ada, victimsPassword)
}

// The attack, begun before an upgrade: an older version stored the attacker's
// password with the sign-up. Neither the link that it mailed nor another one
// makes that password good, and signing in meanwhile does not either.
func TestUnfinishedSignUpOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"its link", "a sign-up", "a link mailed again", "a reset"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			k := newAccountKit(t, vaulttest.Options{})
			vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, ""), nil)
			token := k.link(t, outbox.MailVerify, ada)
			k.giveOldPassword(t, ada, attackersPassword)
			k.wantSignIn(t, ada, attackersPassword, refusal.ErrCredentials)
			k.Clock.Advance(5 * time.Minute)
			switch way {
			case "a sign-up":
				vaulttest.WantErr(t, "CreateAccount(again)", k.signUp(t, ada, ""), nil)
				token = k.link(t, outbox.MailVerify, ada)
			case "a link mailed again":
				vaulttest.WantErr(t, "ResendVerification()", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, ada), nil)
				token = k.link(t, outbox.MailVerify, ada)
			case "a reset":
				vaulttest.WantErr(t, "RequestPasswordReset()", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
				_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, k.link(t, outbox.MailReset, ada), victimsPassword)
				vaulttest.WantErr(t, "ResetPassword(token)", err, nil)
			}
			if way != "a reset" {
				vaulttest.WantErr(t, "VerifyAccount(token, password)", k.confirm(t, token, victimsPassword), nil)
			}
			k.wantSignIn(t, ada, attackersPassword, refusal.ErrCredentials)
			k.signIn(t, ada, victimsPassword)
		})
	}
}

// giveOldPassword stores a password with an account that waits, as sign-up did
// before version 0.3.
func (k *accountKit) giveOldPassword(t *testing.T, address, password caller.Text) {
	t.Helper()
	params := seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1}.Renewed()
	hash := params.Hash(string(password))
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return storeOldPassword(k.Vault, tx, string(address), params, hash, k.Clock.Now())
	}))
	vaulttest.WantErr(t, "storing a password with a sign-up", err, nil)
}
