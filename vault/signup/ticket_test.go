package signup_test

import (
	"testing"
	"time"

	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/password"
	"hush/vault/refusal"
	"hush/vault/signup"
	"hush/vault/ticket"
	"hush/vault/vaulttest"
)

// linkKit is a vault with the caller who asked for a link.
type linkKit struct {
	*vaulttest.AccountKit
	asked caller.Caller
}

// A link is good until the moment that its mail names, and not at it.
func TestLifetimesOfLinks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		lifetime time.Duration
		ask      func(t *testing.T, k *linkKit) caller.Text
		use      func(t *testing.T, k *linkKit, token caller.Text) error
	}{
		{"verify", 24 * time.Hour, func(t *testing.T, k *linkKit) caller.Text {
			vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Bob, vaulttest.Password), nil)
			return k.WantLink(t, outbox.MailVerify, vaulttest.Bob)
		}, func(t *testing.T, k *linkKit, token caller.Text) error {
			return k.Confirm(t, token, vaulttest.Password)
		}},
		{"reset", 15 * time.Minute, func(t *testing.T, k *linkKit) caller.Text {
			vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
			return k.WantLink(t, outbox.MailReset, vaulttest.Ada)
		}, func(t *testing.T, k *linkKit, token caller.Text) error {
			_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, token, vaulttest.OtherPassword)
			return err
		}},
		{"address", 24 * time.Hour, func(t *testing.T, k *linkKit) caller.Text {
			k.asked = k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
			vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), k.asked, vaulttest.Bob, vaulttest.Password), nil)
			return k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
		}, func(t *testing.T, k *linkKit, token caller.Text) error {
			return k.Vault.SignUps.ConfirmAddressChange(t.Context(), k.asked, token)
		}},
		{"invite", 7 * 24 * time.Hour, func(t *testing.T, k *linkKit) caller.Text {
			invite, err := k.Vault.SignUps.CreateInvite(t.Context(), k.Host, "")
			vaulttest.WantErr(t, "CreateInvite()", err, nil)
			vaulttest.Want(t, "Invite.Expires", invite.Expires, k.Clock.Now().Add(7*24*time.Hour))
			return invite.Key
		}, func(t *testing.T, k *linkKit, token caller.Text) error {
			_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, signup.NewAccount{Address: vaulttest.Bob, Password: vaulttest.Password, Invite: token})
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
				k := &linkKit{AccountKit: vaulttest.NewAccountKit(t, vaulttest.Options{Policy: policy})}
				k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
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
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	c := k.MustAccount(t, vaulttest.Ada)
	vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), c, vaulttest.Bob, vaulttest.Password), nil)
	vaulttest.Want(t, "Account.PendingAddress", k.AccountOf(t, vaulttest.Ada).PendingAddress, vaulttest.Bob)
	vaulttest.WantErr(t, "RequestPasswordReset(address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	k.WantMails(t, outbox.MailReset, outbox.MailAddress)
	vaulttest.Want(t, "tickets", len(vaulttest.RowsIn(t, k.Store, ticket.BucketTicket)), 2)
	k.Leap(t, 24*time.Hour)
	vaulttest.Want(t, "tickets after a day", len(vaulttest.RowsIn(t, k.Store, ticket.BucketTicket)), 0)
	vaulttest.Want(t, "counters after a day", len(vaulttest.RowsIn(t, k.Store, password.BucketTries)), 0)
	vaulttest.Want(t, "Account.PendingAddress after a day", k.AccountOf(t, vaulttest.Ada).PendingAddress, "")
}

// A link of one kind is none of another.
func TestLinksAreOfOneKind(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	token := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
	_, err := k.Vault.ResetPassword(t.Context(), caller.Caller{}, token, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(another's token)", err, refusal.ErrTicket)
	err = k.Vault.SignUps.ConfirmAddressChange(t.Context(), k.MustAccount(t, vaulttest.Bob), token)
	vaulttest.WantErr(t, "ConfirmAddressChange(another's token)", err, refusal.ErrTicket)
}
