package account_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// newInviteKit opens a vault where signing up takes an invite, which its host
// may make.
func newInviteKit(t *testing.T) *accountKit {
	t.Helper()
	return newAccountKit(t, vaulttest.Options{Policy: caller.Policy{
		SignUp: caller.SignUpInvite, Colonels: []string{"host-canary@example.com"},
	}})
}

func (k *accountKit) invite(t *testing.T, address caller.Text) caller.Text {
	t.Helper()
	invite, err := k.Vault.SignUps.CreateInvite(t.Context(), k.host, address)
	if err != nil {
		t.Fatalf("CreateInvite(address): got %v, want nil", err)
	}
	return invite.Key
}

func (k *accountKit) signUpInvited(t *testing.T, address, invite caller.Text) error {
	t.Helper()
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{Address: address, Password: rightPassword, Invite: invite})
	return err
}

func TestInvites(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	invite := k.invite(t, "")
	k.wantMails(t)
	vaulttest.WantErr(t, "CreateAccount(invite)", k.signUpInvited(t, ada, invite), nil)
	vaulttest.WantErr(t, "CreateAccount(used invite)", k.signUpInvited(t, bob, invite), refusal.ErrTicket)
	vaulttest.WantErr(t, "VerifyAccount(token)", k.confirm(t, k.link(t, outbox.MailVerify, ada), rightPassword), nil)

	// An invite for an address is mailed there, and good for it alone.
	invite = k.invite(t, "Bob-canary@example.com")
	m := k.wantMails(t, outbox.MailInvite)[0]
	vaulttest.Want(t, "Mail.To", string(m.To), bob)
	vaulttest.Want(t, "Mail.Key", string(m.Key), string(invite))
	vaulttest.WantErr(t, "CreateAccount(another's invite)", k.signUpInvited(t, "eve@example.com", invite), refusal.ErrTicket)
	vaulttest.WantErr(t, "CreateAccount(own invite)", k.signUpInvited(t, bob, invite), nil)
	k.wantMails(t, outbox.MailVerify)
	vaulttest.Want(t, "audit rows of invites", k.count(t, rows.AuditInvite), 2)
}

// An invite is spent whether or not the address has an account: what is left
// of it tells nothing.
func TestInvitesTellNoAddress(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	k.made(t, account.OperatorAccount{Address: ada})
	invite := k.invite(t, "")
	vaulttest.WantErr(t, "CreateAccount(taken)", k.signUpInvited(t, ada, invite), nil)
	vaulttest.WantErr(t, "CreateAccount(used invite)", k.signUpInvited(t, bob, invite), refusal.ErrTicket)
}

func TestInvitesAreTheColonels(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	for name, c := range map[string]caller.Caller{"nobody": vaulttest.Caller(1), "customer": k.member(t, ada)} {
		_, err := k.Vault.SignUps.CreateInvite(t.Context(), c, "")
		vaulttest.WantErr(t, "CreateInvite("+name+")", err, refusal.ErrNotFound)
	}
	_, err := k.Vault.SignUps.CreateInvite(t.Context(), k.host, "no address")
	vaulttest.WantInvalid(t, "CreateInvite(no address)", err, "address")
	vaulttest.Want(t, "tickets", len(vaulttest.RowsIn(t, k.Store, account.BucketTicket)), 0)
}

func TestInvitesAreSwept(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	k.invite(t, "")
	k.leap(t, 7*24*time.Hour)
	vaulttest.Want(t, "tickets after a week", len(vaulttest.RowsIn(t, k.Store, account.BucketTicket)), 0)
}

// The attack: one invite for a crowd that comes at once. One gets in.
func TestInviteRace(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	invite := k.invite(t, "")
	var in, out atomic.Int32
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			address := caller.Text("guest" + strconv.Itoa(i) + "@example.com")
			switch err := vaulttest.RetryBusy(func() error { return k.signUpInvited(t, address, invite) }); {
			case err == nil:
				in.Add(1)
			case errors.Is(err, refusal.ErrTicket):
				out.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "sign-ups with the invite", in.Load(), 1)
	vaulttest.Want(t, "sign-ups that were refused", out.Load(), 31)
	k.wantMails(t, outbox.MailVerify)
}
