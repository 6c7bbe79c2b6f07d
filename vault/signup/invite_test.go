package signup_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/signup"
	"hush/vault/ticket"
	"hush/vault/vaulttest"
)

// newInviteKit opens a vault where signing up takes an invite, which its host
// may make.
func newInviteKit(t *testing.T) *vaulttest.AccountKit {
	t.Helper()
	return vaulttest.NewAccountKit(t, vaulttest.Options{Policy: caller.Policy{
		SignUp: caller.SignUpInvite, Colonels: []string{"host-canary@example.com"},
	}})
}

func newInvite(t *testing.T, k *vaulttest.AccountKit, address caller.Text) caller.Text {
	t.Helper()
	invite, err := k.Vault.SignUps.CreateInvite(t.Context(), k.Host, address)
	if err != nil {
		t.Fatalf("CreateInvite(address): got %v, want nil", err)
	}
	return invite.Key
}

func signUpInvited(t *testing.T, k *vaulttest.AccountKit, address, invite caller.Text) error {
	t.Helper()
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, signup.NewAccount{Address: address, Password: vaulttest.Password, Invite: invite})
	return err
}

func TestInvites(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	invite := newInvite(t, k, "")
	k.WantMails(t)
	vaulttest.WantErr(t, "CreateAccount(invite)", signUpInvited(t, k, vaulttest.Ada, invite), nil)
	vaulttest.WantErr(t, "CreateAccount(used invite)", signUpInvited(t, k, vaulttest.Bob, invite), refusal.ErrTicket)
	vaulttest.WantErr(t, "VerifyAccount(token)", k.Confirm(t, k.WantLink(t, outbox.MailVerify, vaulttest.Ada), vaulttest.Password), nil)

	// An invite for an address is mailed there, and good for it alone.
	invite = newInvite(t, k, "Bob-canary@example.com")
	m := k.WantMails(t, outbox.MailInvite)[0]
	vaulttest.Want(t, "Mail.To", string(m.To), vaulttest.Bob)
	vaulttest.Want(t, "Mail.Key", string(m.Key), string(invite))
	vaulttest.WantErr(t, "CreateAccount(another's invite)", signUpInvited(t, k, "eve@example.com", invite), refusal.ErrTicket)
	vaulttest.WantErr(t, "CreateAccount(own invite)", signUpInvited(t, k, vaulttest.Bob, invite), nil)
	k.WantMails(t, outbox.MailVerify)
	vaulttest.Want(t, "audit rows of invites", k.AuditCount(t, audit.Invite), 2)
}

// An invite is spent whether or not the address has an account: what is left
// of it tells nothing.
func TestInvitesTellNoAddress(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Ada})
	invite := newInvite(t, k, "")
	vaulttest.WantErr(t, "CreateAccount(taken)", signUpInvited(t, k, vaulttest.Ada, invite), nil)
	vaulttest.WantErr(t, "CreateAccount(used invite)", signUpInvited(t, k, vaulttest.Bob, invite), refusal.ErrTicket)
}

func TestInvitesAreTheColonels(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	for name, c := range map[string]caller.Caller{"nobody": vaulttest.Caller(1), "customer": k.MustAccount(t, vaulttest.Ada)} {
		_, err := k.Vault.SignUps.CreateInvite(t.Context(), c, "")
		vaulttest.WantErr(t, "CreateInvite("+name+")", err, refusal.ErrNotFound)
		_, _, err = k.Vault.SignUps.ListInvites(t.Context(), c, 0, "")
		vaulttest.WantErr(t, "ListInvites("+name+")", err, refusal.ErrNotFound)
		err = k.Vault.SignUps.RevokeInvite(t.Context(), c, strings.Repeat("0", 44))
		vaulttest.WantErr(t, "RevokeInvite("+name+")", err, refusal.ErrNotFound)
	}
	_, err := k.Vault.SignUps.CreateInvite(t.Context(), k.Host, "no address")
	vaulttest.WantInvalid(t, "CreateInvite(no address)", err, "address")
	vaulttest.Want(t, "tickets", len(vaulttest.RowsIn(t, k.Store, ticket.BucketTicket)), 0)
}

// waitingInvites lists the invites page by page.
func waitingInvites(t *testing.T, k *vaulttest.AccountKit, size int) (list []signup.WaitingInvite) {
	t.Helper()
	for token, pages := "", 0; ; pages++ {
		page, next, err := k.Vault.SignUps.ListInvites(t.Context(), k.Host, size, token)
		if err != nil || pages > 10 {
			t.Fatalf("ListInvites(page %d): got %v, want nil and an end", pages, err)
		}
		list = append(list, page...)
		if token = next; token == "" {
			return list
		}
	}
}

func TestInvitesAreListed(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	operator := k.Vault.Operator().SignUps
	used := newInvite(t, k, "")
	k.Clock.Advance(time.Second)
	newInvite(t, k, "Bob-canary@example.com")
	k.Clock.Advance(time.Second)
	_, err := operator.CreateInvite(t.Context(), "")
	vaulttest.WantErr(t, "Operator.CreateInvite()", err, nil)
	vaulttest.WantErr(t, "CreateAccount(invite)", signUpInvited(t, k, vaulttest.Ada, used), nil) // whose link to confirm is a ticket, too
	for _, size := range []int{0, 1, 2} {
		list := waitingInvites(t, k, size)
		if len(list) != 2 {
			t.Fatalf("ListInvites(%d): got %d, want 2 that can be used", size, len(list))
		}
		vaulttest.Want(t, "WaitingInvite.Address", list[0].Address, vaulttest.Bob)
		vaulttest.Want(t, "WaitingInvite.By", list[0].By, "host-canary@example.com")
		vaulttest.Want(t, "WaitingInvite.Created", list[0].Created, k.Clock.Now().Add(-time.Second))
		vaulttest.Want(t, "WaitingInvite.Expires", list[0].Expires, list[0].Created.Add(7*24*time.Hour))
		vaulttest.Want(t, "WaitingInvite.Address of the operator's", list[1].Address, "")
		vaulttest.Want(t, "WaitingInvite.By of the operator's", list[1].By, "")
	}
	own, next, err := operator.ListInvites(t.Context(), 0, "")
	vaulttest.Want(t, "Operator.ListInvites()", fmt.Sprintf("%d %q %v", len(own), next, err), `2 "" <nil>`)
	k.Clock.Advance(7*24*time.Hour - time.Second) // the operator's is a second younger
	vaulttest.Want(t, "ListInvites() when one has expired", len(waitingInvites(t, k, 0)), 1)
	_, _, err = k.Vault.SignUps.ListInvites(t.Context(), k.Host, 0, "0g")
	vaulttest.WantInvalid(t, "ListInvites(bad token)", err, "page_token")
}

func TestInvitesAreRevoked(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	operator := k.Vault.Operator().SignUps
	first, second := newInvite(t, k, ""), newInvite(t, k, "")
	list := waitingInvites(t, k, 0)
	vaulttest.Want(t, "invites", len(list), 2)
	vaulttest.WantErr(t, "RevokeInvite(id)", k.Vault.SignUps.RevokeInvite(t.Context(), k.Host, list[0].ID), nil)
	vaulttest.WantErr(t, "RevokeInvite(revoked)", k.Vault.SignUps.RevokeInvite(t.Context(), k.Host, list[0].ID), refusal.ErrNotFound)
	vaulttest.WantErr(t, "Operator.RevokeInvite(id)", operator.RevokeInvite(t.Context(), list[1].ID), nil)
	vaulttest.Want(t, "audit rows of revoked invites", k.AuditCount(t, audit.InviteRevoked), 2)
	for _, invite := range []caller.Text{first, second} {
		vaulttest.WantErr(t, "CreateAccount(revoked invite)", signUpInvited(t, k, vaulttest.Bob, invite), refusal.ErrTicket)
	}
	for _, id := range []string{"", "x", strings.Repeat("0", 44), list[0].ID[:42]} {
		vaulttest.WantErr(t, "RevokeInvite("+id+")", operator.RevokeInvite(t.Context(), id), refusal.ErrNotFound)
	}
}

// The attack: the id of another ticket, by which a link to confirm an account
// would be revoked.
func TestOnlyInvitesAreRevoked(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{Policy: caller.Policy{Colonels: []string{"host-canary@example.com"}}})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	var ids []string
	err := k.Store.View(t.Context(), func(tx storage.Tx) error {
		return tx.Range(ticket.BucketTicket, nil, nil, func(key, _ []byte) error {
			ids = append(ids, hex.EncodeToString(key))
			return nil
		})
	})
	vaulttest.Want(t, "tickets", fmt.Sprint(len(ids), err), "1 <nil>")
	err = k.Vault.SignUps.RevokeInvite(t.Context(), k.Host, ids[0])
	vaulttest.WantErr(t, "RevokeInvite(another ticket)", err, refusal.ErrNotFound)
	vaulttest.WantErr(t, "VerifyAccount(token)", k.Confirm(t, k.WantLink(t, outbox.MailVerify, vaulttest.Ada), vaulttest.Password), nil)
}

func TestInvitesAreSwept(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	newInvite(t, k, "")
	k.Leap(t, 7*24*time.Hour)
	vaulttest.Want(t, "tickets after a week", len(vaulttest.RowsIn(t, k.Store, ticket.BucketTicket)), 0)
}

// The attack: one invite for a crowd that comes at once. One gets in.
func TestInviteRace(t *testing.T) {
	t.Parallel()
	k := newInviteKit(t)
	invite := newInvite(t, k, "")
	var in, out atomic.Int32
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			address := caller.Text("guest" + strconv.Itoa(i) + "@example.com")
			switch err := vaulttest.RetryBusy(func() error { return signUpInvited(t, k, address, invite) }); {
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
	k.WantMails(t, outbox.MailVerify)
}
