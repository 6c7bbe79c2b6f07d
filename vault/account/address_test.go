package account_test

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
	"hush/vault/vaulttest"
)

func TestChangeAddress(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	own := k.member(t, ada)
	token := k.token(t, own)
	ask := func(address, password caller.Text) error {
		return k.Vault.Accounts.RequestAddressChange(t.Context(), own, address, password)
	}
	vaulttest.WantErr(t, "RequestAddressChange(nobody)", k.Vault.Accounts.RequestAddressChange(t.Context(), caller.Caller{}, bob, rightPassword), refusal.ErrUnauthenticated)
	vaulttest.WantErr(t, "RequestAddressChange(wrong password)", ask(bob, "wrong password"), refusal.ErrCredentials)
	vaulttest.WantInvalid(t, "RequestAddressChange(no address)", ask("bob", rightPassword), "new_address")
	vaulttest.WantInvalid(t, "RequestAddressChange(the same)", ask(" Ada-canary@Example.com", rightPassword), "new_address")
	vaulttest.WantErr(t, "RequestAddressChange(address)", ask("Bob-canary@example.com", rightPassword), nil)
	vaulttest.Want(t, "Account.PendingAddress", k.account(t, ada).PendingAddress, bob)
	link := k.link(t, outbox.MailAddress, bob)
	vaulttest.WantErr(t, "RequestPasswordReset(old address)", k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, ada), nil)
	reset := k.link(t, outbox.MailReset, ada)

	vaulttest.WantErr(t, "ConfirmAddressChange(token)", k.Vault.Accounts.ConfirmAddressChange(t.Context(), own, link), nil)
	told := k.wantMails(t, outbox.MailAddressChanged)[0]
	vaulttest.Want(t, "Mail.To of the notice", string(told.To), ada)
	k.wantNoAccount(t, ada)
	moved := k.account(t, bob)
	vaulttest.Want(t, "Account.Address", moved.Address, bob)
	vaulttest.Want(t, "Account.PendingAddress", moved.PendingAddress, "")
	_, err := k.Vault.Accounts.GetAccount(t.Context(), own)
	vaulttest.WantErr(t, "GetAccount(session)", err, nil)
	k.wantRefused(t, session.Credential{Address: ada, Token: token.Token})
	k.mustBe(t, session.Credential{Address: bob, Token: token.Token})
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)
	k.signIn(t, bob, rightPassword)
	// What was mailed to the old address opens nothing any more.
	_, err = k.Vault.Passwords.ResetPassword(t.Context(), caller.Caller{}, reset, otherPassword)
	vaulttest.WantErr(t, "ResetPassword(mailed to the old address)", err, refusal.ErrTicket)
	// The old address is free.
	k.verified(t, ada)
	vaulttest.Want(t, "audit rows of changed addresses", k.count(t, audit.Address), 1)
}

// The account that took the address meanwhile keeps it.
func TestChangeAddressToOneThatWasTaken(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	own := k.member(t, ada)
	vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), own, bob, rightPassword), nil)
	link := k.link(t, outbox.MailAddress, bob)
	k.made(t, account.OperatorAccount{Address: bob, Password: otherPassword})
	vaulttest.WantErr(t, "ConfirmAddressChange(taken)", k.Vault.Accounts.ConfirmAddressChange(t.Context(), own, link), refusal.ErrTicket)
	k.wantMails(t)
	k.signIn(t, ada, rightPassword)
	k.signIn(t, bob, otherPassword)
}

// The attack: a sign-up that no one confirms keeps an address from its owner. Who reads
// the mail of the address gets it, and the sign-up ends.
func TestChangeAddressToOneThatIsSquatted(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		k := newAccountKit(t, vaulttest.Options{})
		own := k.member(t, ada)
		accounts := len(vaulttest.RowsIn(t, k.Store, account.BucketAccount))
		squat := func() {
			vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, bob, otherPassword), nil)
			k.wantMails(t, outbox.MailVerify)
		}
		if first {
			squat()
		}
		vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), own, bob, rightPassword), nil)
		link := k.link(t, outbox.MailAddress, bob)
		if !first {
			squat()
		}
		vaulttest.WantErr(t, "ConfirmAddressChange(squatted)", k.Vault.Accounts.ConfirmAddressChange(t.Context(), own, link), nil)
		vaulttest.Want(t, "Account.Address", k.account(t, bob).Address, bob)
		vaulttest.Want(t, "accounts", len(vaulttest.RowsIn(t, k.Store, account.BucketAccount)), accounts)
		k.signIn(t, bob, rightPassword)
		k.leap(t, account.PendingLifetime)
		k.signIn(t, bob, rightPassword)
	}
}

// The attack: two accounts claim one address at once. One has it.
func TestChangeAddressRace(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	links := map[caller.Text]caller.Caller{}
	for _, address := range []caller.Text{"one@example.com", "two@example.com", "three@example.com"} {
		c := k.member(t, address)
		vaulttest.WantErr(t, "RequestAddressChange(address)", k.Vault.Accounts.RequestAddressChange(t.Context(), c, bob, rightPassword), nil)
		links[k.link(t, outbox.MailAddress, bob)] = c
	}
	var won atomic.Int32
	var all sync.WaitGroup
	for link, c := range links {
		all.Go(func() {
			if err := k.Vault.Accounts.ConfirmAddressChange(t.Context(), c, link); err == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "accounts that got the address", won.Load(), 1)
}

func TestAddressesKeepToThePolicy(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Policy: caller.Policy{SignUpDomains: []string{"example.com"}}})
	own := k.member(t, ada)
	err := k.Vault.Accounts.RequestAddressChange(t.Context(), own, "ada@example.org", rightPassword)
	vaulttest.WantErr(t, "RequestAddressChange(other domain)", err, refusal.ErrPolicy)
	k.wantMails(t)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	own := k.member(t, ada)
	tests := []struct{ locale, old, stored string }{
		{"de", "", "de"}, {"pt-BR", "de", "pt_BR"}, {"pt_BR", "pt_BR", "pt_BR"}, {"uk", "pt_BR", "uk"},
	}
	for _, test := range tests {
		old, err := k.Vault.Accounts.UpdateLocale(t.Context(), own, test.locale)
		vaulttest.WantErr(t, "UpdateLocale("+test.locale+")", err, nil)
		vaulttest.Want(t, "UpdateLocale("+test.locale+")", old, test.old)
		vaulttest.Want(t, "Account.Locale", k.account(t, ada).Locale, test.stored)
	}
	for _, locale := range []string{"", "EN", "pt", "english", "en_US"} {
		_, err := k.Vault.Accounts.UpdateLocale(t.Context(), own, locale)
		vaulttest.WantInvalid(t, "UpdateLocale("+locale+")", err, "locale")
	}
	shown, err := k.Vault.Accounts.UpdateNotifications(t.Context(), own, true)
	vaulttest.WantErr(t, "UpdateNotifications(true)", err, nil)
	vaulttest.Want(t, "Account.NotifyOpened", shown.NotifyOpened, true)
	shown, err = k.Vault.Accounts.UpdateNotifications(t.Context(), own, false)
	vaulttest.WantErr(t, "UpdateNotifications(false)", err, nil)
	vaulttest.Want(t, "Account.NotifyOpened", shown.NotifyOpened, false)
	_, err = k.Vault.Accounts.UpdateLocale(t.Context(), caller.Caller{}, "de")
	vaulttest.WantErr(t, "UpdateLocale(nobody)", err, refusal.ErrUnauthenticated)
	_, err = k.Vault.Accounts.UpdateNotifications(t.Context(), caller.Caller{}, true)
	vaulttest.WantErr(t, "UpdateNotifications(nobody)", err, refusal.ErrUnauthenticated)
	_, err = k.Vault.Accounts.GetAccount(t.Context(), caller.Caller{})
	vaulttest.WantErr(t, "GetAccount(nobody)", err, refusal.ErrUnauthenticated)
	vaulttest.Want(t, "audit rows of languages", k.count(t, audit.Locale), len(tests))
}
