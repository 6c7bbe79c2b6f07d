package account_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/vaulttest"
)

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	required, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{
		Address: " Ada-Canary@Example.com\n", Password: rightPassword, Locale: "pt-BR",
	})
	vaulttest.WantErr(t, "CreateAccount(address)", err, nil)
	vaulttest.Want(t, "CreateAccount(address)", required, true)

	waits := k.account(t, ada)
	vaulttest.Want(t, "Account.Address", waits.Address, ada)
	vaulttest.Want(t, "Account.Verified before the link", waits.Verified, false)
	vaulttest.Want(t, "Account.Locale", waits.Locale, "pt_BR")
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)

	m := k.wantMails(t, outbox.MailVerify)[0]
	vaulttest.Want(t, "Mail.To", string(m.To), ada)
	vaulttest.Want(t, "Mail.Locale", m.Locale, "pt_BR")
	vaulttest.Want(t, "Mail.Expires", m.Expires, k.Clock.Now().Add(24*time.Hour))
	vaulttest.WantErr(t, "VerifyAccount(token)", k.confirm(t, m.Key, rightPassword), nil)
	vaulttest.WantErr(t, "VerifyAccount(used token)", k.confirm(t, m.Key, rightPassword), refusal.ErrTicket)
	vaulttest.Want(t, "Account.Verified after the link", k.account(t, ada).Verified, true)

	c := k.signIn(t, ada, rightPassword)
	own, err := k.Vault.Accounts.GetAccount(t.Context(), c)
	vaulttest.WantErr(t, "GetAccount(caller)", err, nil)
	vaulttest.Want(t, "GetAccount(caller).Address", own.Address, ada)
	vaulttest.Want(t, "audit rows of new accounts", k.count(t, audit.Account), 2)
	vaulttest.Want(t, "audit rows of confirmed addresses", k.count(t, audit.Verify), 1)
}

func TestSignUpAtOnce(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	required, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{Address: ada, Password: rightPassword})
	vaulttest.WantErr(t, "CreateAccount(address)", err, nil)
	vaulttest.Want(t, "CreateAccount(address)", required, false)
	c := k.signIn(t, ada, rightPassword)
	vaulttest.Want(t, "Account.Verified", k.account(t, ada).Verified, false)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), refusal.ErrAddressTaken)
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)

	_, err = k.Vault.Accounts.DestroyAccount(t.Context(), c, rightPassword)
	vaulttest.WantErr(t, "DestroyAccount(caller)", err, nil)
	vaulttest.WantErr(t, "CreateAccount(destroyed)", k.signUp(t, ada, otherPassword), refusal.ErrAddressTaken)
	for call, err := range map[string]error{
		"RequestPasswordReset(no mail)": k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, bob),
		"ResendVerification(no mail)":   k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, bob),
		"RequestAddressChange(no mail)": k.Vault.Accounts.RequestAddressChange(t.Context(), k.host, bob, rightPassword),
	} {
		vaulttest.WantErr(t, call, err, refusal.ErrNotConfigured)
	}
}

func TestSignUpAgain(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	first := k.link(t, outbox.MailVerify, ada)

	// Within five minutes nothing changes.
	k.Clock.Advance(5*time.Minute - time.Second)
	vaulttest.WantErr(t, "CreateAccount(waits)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)

	// Afterwards the latest link is the good one.
	k.Clock.Advance(time.Second)
	vaulttest.WantErr(t, "CreateAccount(waits)", k.signUp(t, ada, otherPassword), nil)
	second := k.link(t, outbox.MailVerify, ada)
	vaulttest.WantErr(t, "VerifyAccount(superseded)", k.confirm(t, first, rightPassword), refusal.ErrTicket)
	vaulttest.WantErr(t, "VerifyAccount(latest)", k.confirm(t, second, rightPassword), nil)
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)
	k.signIn(t, ada, rightPassword)
}

func TestOwnersAreToldOfSignUpsOnceAnHour(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.verified(t, ada)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	m := k.wantMails(t, outbox.MailTaken)[0]
	vaulttest.Want(t, "Mail.Key of a note", string(m.Key), "")
	k.Clock.Advance(time.Hour - time.Second)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)
	k.Clock.Advance(time.Second)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t, outbox.MailTaken)
	k.signIn(t, ada, rightPassword)
}

func TestResendVerification(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	first := k.link(t, outbox.MailVerify, ada)
	resend := func() {
		vaulttest.WantErr(t, "ResendVerification(address)", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, ada), nil)
	}
	resend()
	k.wantMails(t)
	k.Clock.Advance(5 * time.Minute)
	resend()
	second := k.link(t, outbox.MailVerify, ada)
	vaulttest.WantErr(t, "VerifyAccount(superseded)", k.confirm(t, first, rightPassword), refusal.ErrTicket)
	vaulttest.WantErr(t, "VerifyAccount(latest)", k.confirm(t, second, rightPassword), nil)
	k.Clock.Advance(5 * time.Minute)
	resend()
	k.wantMails(t)
	k.signIn(t, ada, rightPassword)
}

func TestSignUpPolicy(t *testing.T) {
	t.Parallel()
	good := account.NewAccount{Address: ada, Password: rightPassword}
	tests := []struct {
		name   string
		policy caller.Policy
		change func(*account.NewAccount)
		want   error
	}{
		{"open", caller.Policy{SignUp: caller.SignUpOpen}, nil, nil},
		{"closed", caller.Policy{SignUp: caller.SignUpClosed}, nil, refusal.ErrPolicy},
		{"not said", caller.Policy{SignUp: 9}, nil, refusal.ErrPolicy},
		{"invite missing", caller.Policy{SignUp: caller.SignUpInvite}, nil, refusal.ErrPolicy},
		{"invite wrong", caller.Policy{SignUp: caller.SignUpInvite}, func(n *account.NewAccount) { n.Invite = "wrong" }, refusal.ErrTicket},
		{"domain", caller.Policy{SignUp: caller.SignUpOpen, SignUpDomains: []string{"example.com"}}, nil, nil},
		{"other domain", caller.Policy{SignUp: caller.SignUpOpen, SignUpDomains: []string{"example.org", "le.com"}}, nil, refusal.ErrPolicy},
		{"maintenance", caller.Policy{SignUp: caller.SignUpOpen, Maintenance: "Back at noon."}, nil, refusal.ErrMaintenance},
		{"address", caller.Policy{}, func(n *account.NewAccount) { n.Address = "Ada <ada@example.com>" }, refusal.ErrInvalid},
		{"no password", caller.Policy{}, func(n *account.NewAccount) { n.Password = "" }, nil},
		{"locale", caller.Policy{}, func(n *account.NewAccount) { n.Locale = "xx" }, refusal.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := newAccountKit(t, vaulttest.Options{Policy: test.policy})
			n := good
			if test.change != nil {
				test.change(&n)
			}
			_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, n)
			vaulttest.WantErr(t, "CreateAccount("+test.name+")", err, test.want)
			if test.want != nil {
				k.wantMails(t)
				k.wantNoAccount(t, ada)
			}
		})
	}
}

// A sign-up without an account requires a solved challenge.
func TestSignUpTakesAChallenge(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	for _, payload := range []string{"", "e30="} {
		_, err := k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
			Address: ada, Password: rightPassword, Challenge: payload,
		})
		vaulttest.WantErr(t, "CreateAccount(no solution)", err, refusal.ErrChallenge)
	}
	other := vaulttest.MustSolve(t, k.Kit, "feedback").Payload(t)
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
		Address: ada, Password: rightPassword, Challenge: other,
	})
	vaulttest.WantErr(t, "CreateAccount(another action's solution)", err, refusal.ErrChallenge)
	k.wantNoAccount(t, ada)

	solved := vaulttest.MustSolve(t, k.Kit, "signup").Payload(t)
	for i, address := range []caller.Text{"no address", ada} {
		_, err = k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
			Address: address, Password: rightPassword, Challenge: solved,
		})
		// What is refused for another reason spends no solution.
		vaulttest.WantErr(t, "CreateAccount(solution)", err, []error{refusal.ErrInvalid, nil}[i])
	}
	k.wantMails(t, outbox.MailVerify)
	_, err = k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
		Address: bob, Password: rightPassword, Challenge: solved,
	})
	vaulttest.WantErr(t, "CreateAccount(spent solution)", err, refusal.ErrChallenge)
}

// The attack: many sign-ups of one address at once, so that two of them find
// it free. There is one account and one mail.
func TestSignUpRace(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			err := vaulttest.RetryBusy(func() error { return k.signUp(t, ada, rightPassword) })
			vaulttest.WantErr(t, "CreateAccount(address)", err, nil)
		})
	}
	all.Wait()
	k.wantMails(t, outbox.MailVerify)
	list, _, err := k.Vault.Operator().Accounts.ListAccounts(t.Context(), 0, "")
	vaulttest.WantErr(t, "Operator.ListAccounts()", err, nil)
	vaulttest.Want(t, "accounts after the race", len(list), 2)
}

// Without mail one of many wins, and the others are told.
func TestSignUpRaceAtOnce(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	var made, taken atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			switch err := vaulttest.RetryBusy(func() error { return k.signUp(t, ada, rightPassword) }); {
			case err == nil:
				made.Add(1)
			case errors.Is(err, refusal.ErrAddressTaken):
				taken.Add(1)
			}
		})
	}
	all.Wait()
	vaulttest.Want(t, "accounts made", made.Load(), 1)
	vaulttest.Want(t, "sign-ups refused", taken.Load(), 31)
	k.signIn(t, ada, rightPassword)
}

// A stranger signs up with addresses of others, who never confirm. After a week
// the addresses are free, and nothing of the accounts is left.
func TestUnconfirmedAccountsEnd(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Manual: true})
	vaulttest.WantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	k.leap(t, account.PendingLifetime-time.Hour)
	k.account(t, ada) // still there
	k.leap(t, time.Hour)
	_, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), ada)
	vaulttest.WantErr(t, "GetAccount(unconfirmed)", err, refusal.ErrNotFound)
	vaulttest.WantErr(t, "CreateAccount(address again)", k.signUp(t, ada, otherPassword), nil)
	k.account(t, ada)
}
