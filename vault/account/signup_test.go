package vault_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return twiceStore{s} }})
	required, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{
		Address: " Ada-Canary@Example.com\n", Password: rightPassword, Locale: "pt-BR",
	})
	wantErr(t, "CreateAccount(address)", err, nil)
	want(t, "CreateAccount(address)", required, true)

	waits := k.account(t, ada)
	want(t, "Account.Address", waits.Address, ada)
	want(t, "Account.Verified before the link", waits.Verified, false)
	want(t, "Account.Locale", waits.Locale, "pt_BR")
	k.wantSignIn(t, ada, rightPassword, refusal.ErrCredentials)

	m := k.wantMails(t, outbox.MailVerify)[0]
	want(t, "Mail.To", string(m.To), ada)
	want(t, "Mail.Locale", m.Locale, "pt_BR")
	want(t, "Mail.Expires", m.Expires, k.Clock.Now().Add(24*time.Hour))
	wantErr(t, "VerifyAccount(token)", k.confirm(t, m.Key, rightPassword), nil)
	wantErr(t, "VerifyAccount(used token)", k.confirm(t, m.Key, rightPassword), refusal.ErrTicket)
	want(t, "Account.Verified after the link", k.account(t, ada).Verified, true)

	c := k.signIn(t, ada, rightPassword)
	own, err := k.Vault.Accounts.GetAccount(t.Context(), c)
	wantErr(t, "GetAccount(caller)", err, nil)
	want(t, "GetAccount(caller).Address", own.Address, ada)
	want(t, "audit rows of new accounts", k.count(t, rows.AuditAccount), 2)
	want(t, "audit rows of confirmed addresses", k.count(t, rows.AuditVerify), 1)
}

func TestSignUpAtOnce(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	required, err := k.Vault.SignUps.CreateAccount(t.Context(), k.host, account.NewAccount{Address: ada, Password: rightPassword})
	wantErr(t, "CreateAccount(address)", err, nil)
	want(t, "CreateAccount(address)", required, false)
	c := k.signIn(t, ada, rightPassword)
	want(t, "Account.Verified", k.account(t, ada).Verified, false)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), refusal.ErrAddressTaken)
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)

	_, err = k.Vault.Accounts.DestroyAccount(t.Context(), c, rightPassword)
	wantErr(t, "DestroyAccount(caller)", err, nil)
	wantErr(t, "CreateAccount(destroyed)", k.signUp(t, ada, otherPassword), refusal.ErrAddressTaken)
	for call, err := range map[string]error{
		"RequestPasswordReset(no mail)": k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, bob),
		"ResendVerification(no mail)":   k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, bob),
		"RequestAddressChange(no mail)": k.Vault.Accounts.RequestAddressChange(t.Context(), k.host, bob, rightPassword),
	} {
		wantErr(t, call, err, refusal.ErrNotConfigured)
	}
}

func TestSignUpAgain(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	first := k.link(t, outbox.MailVerify, ada)

	// Within five minutes nothing changes.
	k.Clock.Advance(5*time.Minute - time.Second)
	wantErr(t, "CreateAccount(waits)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)

	// Afterwards the latest link is the good one.
	k.Clock.Advance(time.Second)
	wantErr(t, "CreateAccount(waits)", k.signUp(t, ada, otherPassword), nil)
	second := k.link(t, outbox.MailVerify, ada)
	wantErr(t, "VerifyAccount(superseded)", k.confirm(t, first, rightPassword), refusal.ErrTicket)
	wantErr(t, "VerifyAccount(latest)", k.confirm(t, second, rightPassword), nil)
	k.wantSignIn(t, ada, otherPassword, refusal.ErrCredentials)
	k.signIn(t, ada, rightPassword)
}

func TestOwnersAreToldOfSignUpsOnceAnHour(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.verified(t, ada)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	m := k.wantMails(t, outbox.MailTaken)[0]
	want(t, "Mail.Key of a note", string(m.Key), "")
	k.Clock.Advance(time.Hour - time.Second)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)
	k.Clock.Advance(time.Second)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t, outbox.MailTaken)
	k.signIn(t, ada, rightPassword)
}

func TestResendVerification(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	first := k.link(t, outbox.MailVerify, ada)
	resend := func() {
		wantErr(t, "ResendVerification(address)", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, ada), nil)
	}
	resend()
	k.wantMails(t)
	k.Clock.Advance(5 * time.Minute)
	resend()
	second := k.link(t, outbox.MailVerify, ada)
	wantErr(t, "VerifyAccount(superseded)", k.confirm(t, first, rightPassword), refusal.ErrTicket)
	wantErr(t, "VerifyAccount(latest)", k.confirm(t, second, rightPassword), nil)
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
			wantErr(t, "CreateAccount("+test.name+")", err, test.want)
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
		wantErr(t, "CreateAccount(no solution)", err, refusal.ErrChallenge)
	}
	other := mustSolve(t, k.Kit, "feedback").payload(t)
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
		Address: ada, Password: rightPassword, Challenge: other,
	})
	wantErr(t, "CreateAccount(another action's solution)", err, refusal.ErrChallenge)
	k.wantNoAccount(t, ada)

	solved := mustSolve(t, k.Kit, "signup").payload(t)
	for i, address := range []caller.Text{"no address", ada} {
		_, err = k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
			Address: address, Password: rightPassword, Challenge: solved,
		})
		// What is refused for another reason spends no solution.
		wantErr(t, "CreateAccount(solution)", err, []error{refusal.ErrInvalid, nil}[i])
	}
	k.wantMails(t, outbox.MailVerify)
	_, err = k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), account.NewAccount{
		Address: bob, Password: rightPassword, Challenge: solved,
	})
	wantErr(t, "CreateAccount(spent solution)", err, refusal.ErrChallenge)
}

// The attack: many sign-ups of one address at once, so that two of them find
// it free. There is one account and one mail.
func TestSignUpRace(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			err := patient(func() error { return k.signUp(t, ada, rightPassword) })
			wantErr(t, "CreateAccount(address)", err, nil)
		})
	}
	all.Wait()
	k.wantMails(t, outbox.MailVerify)
	list, _, err := k.Vault.Operator().Accounts.ListAccounts(t.Context(), 0, "")
	wantErr(t, "Operator.ListAccounts()", err, nil)
	want(t, "accounts after the race", len(list), 2)
}

// Without mail one of many wins, and the others are told.
func TestSignUpRaceAtOnce(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	var made, taken atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			switch err := patient(func() error { return k.signUp(t, ada, rightPassword) }); {
			case err == nil:
				made.Add(1)
			case errors.Is(err, refusal.ErrAddressTaken):
				taken.Add(1)
			}
		})
	}
	all.Wait()
	want(t, "accounts made", made.Load(), 1)
	want(t, "sign-ups refused", taken.Load(), 31)
	k.signIn(t, ada, rightPassword)
}

// A stranger signs up with addresses of others, who never confirm. After a week
// the addresses are free, and nothing of the accounts is left.
func TestUnconfirmedAccountsEnd(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Manual: true})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	k.leap(t, account.PendingLifetime-time.Hour)
	k.account(t, ada) // still there
	k.leap(t, time.Hour)
	_, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), ada)
	wantErr(t, "GetAccount(unconfirmed)", err, refusal.ErrNotFound)
	wantErr(t, "CreateAccount(address again)", k.signUp(t, ada, otherPassword), nil)
	k.account(t, ada)
}
