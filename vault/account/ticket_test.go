package account_test

import (
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

// A link is good until the moment that its mail names, and not at it.
func TestLifetimesOfLinks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		lifetime time.Duration
		ask      func(t *testing.T, k *accountKit) caller.Text
		use      func(t *testing.T, k *accountKit, token caller.Text) error
	}{
		{"verify", 24 * time.Hour, func(t *testing.T, k *accountKit) caller.Text {
			vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, bob, rightPassword), nil)
			return k.link(t, outbox.MailVerify, bob)
		}, func(t *testing.T, k *accountKit, token caller.Text) error {
			return k.confirm(t, token, rightPassword)
		}},
		{"reset", 15 * time.Minute, func(t *testing.T, k *accountKit) caller.Text {
			vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
			return k.link(t, outbox.MailReset, ada)
		}, func(t *testing.T, k *accountKit, token caller.Text) error {
			_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, token, otherPassword)
			return err
		}},
		{"address", 24 * time.Hour, func(t *testing.T, k *accountKit) caller.Text {
			k.asked = k.signIn(t, ada, rightPassword)
			vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), k.asked, bob, rightPassword), nil)
			return k.link(t, outbox.MailAddress, bob)
		}, func(t *testing.T, k *accountKit, token caller.Text) error {
			return k.Vault.Accounts.ConfirmAddressChange(t.Context(), k.asked, token)
		}},
		{"invite", 7 * 24 * time.Hour, func(t *testing.T, k *accountKit) caller.Text {
			invite, err := k.Vault.SignUps.CreateInvite(t.Context(), k.host, "")
			vaulttest.WantErr(t, "CreateInvite()", err, nil)
			vaulttest.Want(t, "Invite.Expires", invite.Expires, k.Clock.Now().Add(7*24*time.Hour))
			return invite.Key
		}, func(t *testing.T, k *accountKit, token caller.Text) error {
			_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{Address: bob, Password: rightPassword, Invite: token})
			return err
		}},
	}
	for _, test := range tests {
		for _, late := range []bool{false, true} {
			t.Run(test.name+map[bool]string{true: " late"}[late], func(t *testing.T) {
				t.Parallel()
				policy := caller.Policy{Colonels: []string{"host-canary@example.com"}}
				if test.name == "invite" {
					policy.SignUp = caller.SignUpInvite
				}
				k := newAccountKit(t, vaulttest.Options{Policy: policy})
				k.made(t, account.OperatorAccount{Address: ada, Password: rightPassword})
				token := test.ask(t, k)
				k.Clock.Advance(test.lifetime - time.Second)
				if late {
					k.Clock.Advance(time.Second)
					vaulttest.WantErr(t, "late link", test.use(t, k, token), refusal.ErrTicket)
					return
				}
				vaulttest.WantErr(t, "link", test.use(t, k, token), nil)
				vaulttest.WantErr(t, "used link", test.use(t, k, token), refusal.ErrTicket)
			})
		}
	}
}

// The sweeper forgets tickets, and the address that waited for one.
func TestTicketsAreSwept(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	c := k.member(t, ada)
	vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), c, bob, rightPassword), nil)
	vaulttest.Want(t, "Account.PendingAddress", k.account(t, ada).PendingAddress, bob)
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	k.wantMails(t, outbox.MailReset, outbox.MailAddress)
	vaulttest.Want(t, "tickets", len(vaulttest.RowsIn(t, k.Store, account.BucketTicket)), 2)
	k.leap(t, 24*time.Hour)
	vaulttest.Want(t, "tickets after a day", len(vaulttest.RowsIn(t, k.Store, account.BucketTicket)), 0)
	vaulttest.Want(t, "counters after a day", len(vaulttest.RowsIn(t, k.Store, account.BucketTries)), 0)
	vaulttest.Want(t, "Account.PendingAddress after a day", k.account(t, ada).PendingAddress, "")
}

// A link of one kind is none of another.
func TestLinksAreOfOneKind(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	token := k.link(t, outbox.MailVerify, ada)
	_, err := k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, token, otherPassword)
	vaulttest.WantErr(t, "ResetPassword(another's token)", err, refusal.ErrTicket)
	err = k.Vault.Accounts.ConfirmAddressChange(t.Context(), k.member(t, bob), token)
	vaulttest.WantErr(t, "ConfirmAddressChange(another's token)", err, refusal.ErrTicket)
}
