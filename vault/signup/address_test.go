package signup_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

func TestChangeAddress(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	own := k.MustAccount(t, vaulttest.Ada)
	token := k.TokenOf(t, own)
	ask := func(address, password caller.Text) error {
		return k.Vault.SignUps.RequestAddressChange(t.Context(), own, address, password)
	}
	vaulttest.WantErr(t, "RequestAddressChange(nobody)", k.Vault.SignUps.RequestAddressChange(t.Context(), caller.Caller{}, vaulttest.Bob, vaulttest.Password), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "RequestAddressChange(wrong password)", ask(vaulttest.Bob, "wrong password"), refusal.ErrCredentials)
	vaulttest.WantInvalid(t, "RequestAddressChange(no address)", ask("bob", vaulttest.Password), "new_address")
	vaulttest.WantInvalid(t, "RequestAddressChange(the same)", ask(" Ada-canary@Example.com", vaulttest.Password), "new_address")
	vaulttest.WantErr(t, "RequestAddressChange(address)", ask("Bob-canary@example.com", vaulttest.Password), nil)
	vaulttest.Want(t, "Account.PendingAddress", k.AccountOf(t, vaulttest.Ada).PendingAddress, vaulttest.Bob)
	link := k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
	vaulttest.WantErr(t, "RequestPasswordReset(old address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	reset := k.WantLink(t, outbox.MailReset, vaulttest.Ada)

	vaulttest.WantErr(t, "ConfirmAddressChange(token)", k.Vault.SignUps.ConfirmAddressChange(t.Context(), own, link), nil)
	told := k.WantMails(t, outbox.MailAddressChanged)[0]
	vaulttest.Want(t, "Mail.To of the notice", string(told.To), vaulttest.Ada)
	k.WantNoAccount(t, vaulttest.Ada)
	moved := k.AccountOf(t, vaulttest.Bob)
	vaulttest.Want(t, "Account.Address", moved.Address, vaulttest.Bob)
	vaulttest.Want(t, "Account.PendingAddress", moved.PendingAddress, "")
	_, err := k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(session)", err, nil)
	k.WantRefused(t, session.Credential{Address: vaulttest.Ada, Token: token.Token})
	k.MustAuthenticate(t, session.Credential{Address: vaulttest.Bob, Token: token.Token})
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)
	k.MustSignIn(t, vaulttest.Bob, vaulttest.Password)
	// What was mailed to the old address opens nothing any more.
	_, err = k.Vault.ResetPassword(t.Context(), caller.Caller{}, reset, vaulttest.OtherPassword)
	vaulttest.WantErr(t, "ResetPassword(mailed to the old address)", err, refusal.ErrTicket)
	// The old address is free.
	k.MustVerify(t, vaulttest.Ada)
	vaulttest.Want(t, "audit rows of changed addresses", k.AuditCount(t, audit.Address), 1)
}

// The account that took the address meanwhile keeps it.
func TestChangeAddressToOneThatWasTaken(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	own := k.MustAccount(t, vaulttest.Ada)
	vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), own, vaulttest.Bob, vaulttest.Password), nil)
	link := k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
	k.MustCreate(t, signup.OperatorAccount{Address: vaulttest.Bob, Password: vaulttest.OtherPassword})
	vaulttest.WantErr(t, "ConfirmAddressChange(taken)", k.Vault.SignUps.ConfirmAddressChange(t.Context(), own, link), refusal.ErrTicket)
	k.WantMails(t)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
	k.MustSignIn(t, vaulttest.Bob, vaulttest.OtherPassword)
}

// The attack: a sign-up that no one confirms keeps an address from its owner. Who reads
// the mail of the address gets it, and the sign-up ends.
func TestChangeAddressToOneThatIsSquatted(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		k := vaulttest.NewAccountKit(t, vaulttest.Options{})
		own := k.MustAccount(t, vaulttest.Ada)
		accounts := len(vaulttest.RowsIn(t, k.Store, account.BucketAccount))
		squat := func() {
			vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Bob, vaulttest.OtherPassword), nil)
			k.WantMails(t, outbox.MailVerify)
		}
		if first {
			squat()
		}
		vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), own, vaulttest.Bob, vaulttest.Password), nil)
		link := k.WantLink(t, outbox.MailAddress, vaulttest.Bob)
		if !first {
			squat()
		}
		vaulttest.WantErr(t, "ConfirmAddressChange(squatted)", k.Vault.SignUps.ConfirmAddressChange(t.Context(), own, link), nil)
		vaulttest.Want(t, "Account.Address", k.AccountOf(t, vaulttest.Bob).Address, vaulttest.Bob)
		vaulttest.Want(t, "accounts", len(vaulttest.RowsIn(t, k.Store, account.BucketAccount)), accounts)
		k.MustSignIn(t, vaulttest.Bob, vaulttest.Password)
		k.Leap(t, account.PendingLifetime)
		k.MustSignIn(t, vaulttest.Bob, vaulttest.Password)
	}
}

// The attack: two accounts claim one address at once. One has it.
func TestChangeAddressRace(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	links := map[caller.Text]caller.Caller{}
	for _, address := range []caller.Text{"one@example.com", "two@example.com", "three@example.com"} {
		c := k.MustAccount(t, address)
		vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.SignUps.RequestAddressChange(t.Context(), c, vaulttest.Bob, vaulttest.Password), nil)
		links[k.WantLink(t, outbox.MailAddress, vaulttest.Bob)] = c
	}
	var won atomic.Int32
	var all sync.WaitGroup
	for link, c := range links {
		all.Go(func() {
			if err := k.Vault.SignUps.ConfirmAddressChange(t.Context(), c, link); err == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "accounts that got the address", won.Load(), 1)
}

func TestAddressesKeepToThePolicy(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{Policy: caller.Policy{SignUpDomains: []string{"example.com"}}})
	own := k.MustAccount(t, vaulttest.Ada)
	err := k.Vault.SignUps.RequestAddressChange(t.Context(), own, "ada@example.org", vaulttest.Password)
	vaulttest.WantErr(t, "RequestAddressChange(other domain)", err, refusal.ErrPolicy)
	k.WantMails(t)
}
