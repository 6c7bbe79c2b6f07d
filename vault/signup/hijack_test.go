package signup_test

import (
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/signup"
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
	k := vaulttest.NewAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{vaulttest.Ada}}})
	vaulttest.WantErr(t, "CreateAccount(by the attacker)", k.SignUp(t, vaulttest.Ada, attackersPassword), nil)
	k.Clock.Advance(time.Minute)
	vaulttest.WantErr(t, "CreateAccount(by the victim)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	token := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
	for _, password := range []caller.Text{"", "short", vaulttest.Ada} {
		vaulttest.WantErr(t, "VerifyAccount(token, bad password)", k.Confirm(t, token, password), refusal.ErrInvalid)
	}
	k.WantSignIn(t, vaulttest.Ada, attackersPassword, refusal.ErrCredentials)
	vaulttest.WantErr(t, "VerifyAccount(token, password)", k.Confirm(t, token, victimsPassword), nil)
	k.WantSignIn(t, vaulttest.Ada, attackersPassword, refusal.ErrCredentials)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.OtherPassword, refusal.ErrCredentials)
	vaulttest.Want(t, "Caller.Colonel() of the victim", k.MustSignIn(t, vaulttest.Ada, victimsPassword).Colonel(), true)
}

// The same with each of the other ways to a link: an invite, and asking for
// the mail again.
func TestInviteWithAnothersAddress(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, signup.NewAccount{
		Address: vaulttest.Ada, Password: attackersPassword, Invite: newInvite(t, k, ""),
	})
	vaulttest.WantErr(t, "CreateAccount(invite, by the attacker)", err, nil)
	k.WantMails(t, outbox.MailVerify)
	k.Clock.Advance(5 * time.Minute)
	vaulttest.WantErr(t, "ResendVerification(by the victim)", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	vaulttest.WantErr(t, "VerifyAccount(token, password)", k.Confirm(t, k.WantLink(t, outbox.MailVerify, vaulttest.Ada), victimsPassword), nil)
	k.WantSignIn(t, vaulttest.Ada, attackersPassword, refusal.ErrCredentials)
	k.MustSignIn(t, vaulttest.Ada, victimsPassword)
}

// The attack, begun before an upgrade: an older version stored the attacker's
// password with the sign-up. Neither the link that it mailed nor another one
// makes that password good, and signing in meanwhile does not either.
func TestUnfinishedSignUpOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"its link", "a sign-up", "a link mailed again", "a reset"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.NewAccountKit(t, vaulttest.Options{})
			vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, ""), nil)
			token := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
			giveOldPassword(t, k, vaulttest.Ada, attackersPassword)
			k.WantSignIn(t, vaulttest.Ada, attackersPassword, refusal.ErrCredentials)
			k.Clock.Advance(5 * time.Minute)
			switch way {
			case "a sign-up":
				vaulttest.WantErr(t, "CreateAccount(again)", k.SignUp(t, vaulttest.Ada, ""), nil)
				token = k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
			case "a link mailed again":
				vaulttest.WantErr(t, "ResendVerification()", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
				token = k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
			case "a reset":
				vaulttest.WantErr(t, "RequestPasswordReset()", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
				_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, k.WantLink(t, outbox.MailReset, vaulttest.Ada), victimsPassword)
				vaulttest.WantErr(t, "ResetPassword(token)", err, nil)
			}
			if way != "a reset" {
				vaulttest.WantErr(t, "VerifyAccount(token, password)", k.Confirm(t, token, victimsPassword), nil)
			}
			k.WantSignIn(t, vaulttest.Ada, attackersPassword, refusal.ErrCredentials)
			k.MustSignIn(t, vaulttest.Ada, victimsPassword)
		})
	}
}

// giveOldPassword stores a password with an account that waits, as sign-up did
// before version 0.3.
func giveOldPassword(t *testing.T, k *vaulttest.AccountKit, address, password caller.Text) {
	t.Helper()
	params := seal.PasswordParams{MemoryKiB: 64, Time: 1, Threads: 1}.Renewed()
	hash := params.Hash(string(password))
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		return storeOldPassword(k.Vault, tx, string(address), params, hash, k.Clock.Now())
	}))
	vaulttest.WantErr(t, "storing a password with a sign-up", err, nil)
}

// waits for its link, as sign-up did in older versions.
func storeOldPassword(v *vault.Vault, tx *rows.Tx, address string, params seal.PasswordParams, hash seal.PasswordHash, now time.Time) error {
	id, r, err := v.Accounts.FindByAddress(tx, address)
	if err != nil {
		return err
	}
	r.Password = new(v.Passwords.Record(params, hash))
	if err := v.Credentials.PutMainPair(tx, id, seal.NewAccountKey(), hash.WrappingSecret(), now); err != nil {
		return err
	}
	return account.PutAccount(tx, id, r)
}
