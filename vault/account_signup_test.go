package vault_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hush/storage"
	"hush/vault"
	"hush/vault/vaulttest"
)

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return twiceStore{s} }})
	required, err := k.Vault.CreateAccount(t.Context(), k.host, vault.NewAccount{
		Address: " Ada-Canary@Example.com\n", Password: rightPassword, Locale: "pt-BR",
	})
	wantErr(t, "CreateAccount(address)", err, nil)
	want(t, "CreateAccount(address)", required, true)

	waits := k.account(t, ada)
	want(t, "Account.Address", waits.Address, ada)
	want(t, "Account.Verified before the link", waits.Verified, false)
	want(t, "Account.Locale", waits.Locale, "pt_BR")
	k.wantSignIn(t, ada, rightPassword, vault.ErrCredentials)

	m := k.wantMails(t, vault.MailVerify)[0]
	want(t, "Mail.To", string(m.To), ada)
	want(t, "Mail.Locale", m.Locale, "pt_BR")
	want(t, "Mail.Expires", m.Expires, k.Clock.Now().Add(24*time.Hour))
	wantErr(t, "VerifyAccount(token)", k.confirm(t, m.Key, rightPassword), nil)
	wantErr(t, "VerifyAccount(used token)", k.confirm(t, m.Key, rightPassword), vault.ErrTicket)
	want(t, "Account.Verified after the link", k.account(t, ada).Verified, true)

	c := k.signIn(t, ada, rightPassword)
	own, err := k.Vault.GetAccount(t.Context(), c)
	wantErr(t, "GetAccount(caller)", err, nil)
	want(t, "GetAccount(caller).Address", own.Address, ada)
	want(t, "audit rows of new accounts", k.count(t, vault.AuditAccount), 2)
	want(t, "audit rows of confirmed addresses", k.count(t, vault.AuditVerify), 1)
}

func TestSignUpAtOnce(t *testing.T) {
	t.Parallel()
	k := newPlainKit(t, vaulttest.Options{})
	required, err := k.Vault.CreateAccount(t.Context(), k.host, vault.NewAccount{Address: ada, Password: rightPassword})
	wantErr(t, "CreateAccount(address)", err, nil)
	want(t, "CreateAccount(address)", required, false)
	c := k.signIn(t, ada, rightPassword)
	want(t, "Account.Verified", k.account(t, ada).Verified, false)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), vault.ErrAddressTaken)
	k.wantSignIn(t, ada, otherPassword, vault.ErrCredentials)

	_, err = k.Vault.DestroyAccount(t.Context(), c, rightPassword)
	wantErr(t, "DestroyAccount(caller)", err, nil)
	wantErr(t, "CreateAccount(destroyed)", k.signUp(t, ada, otherPassword), vault.ErrAddressTaken)
	for call, err := range map[string]error{
		"RequestPasswordReset(no mail)": k.Vault.RequestPasswordReset(t.Context(), vault.Caller{}, bob),
		"ResendVerification(no mail)":   k.Vault.ResendVerification(t.Context(), vault.Caller{}, bob),
		"RequestAddressChange(no mail)": k.Vault.RequestAddressChange(t.Context(), k.host, bob, rightPassword),
	} {
		wantErr(t, call, err, vault.ErrNotConfigured)
	}
}

func TestSignUpAgain(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	first := k.link(t, vault.MailVerify, ada)

	// Within five minutes nothing changes.
	k.Clock.Advance(5*time.Minute - time.Second)
	wantErr(t, "CreateAccount(waits)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)

	// Afterwards the latest link is the good one.
	k.Clock.Advance(time.Second)
	wantErr(t, "CreateAccount(waits)", k.signUp(t, ada, otherPassword), nil)
	second := k.link(t, vault.MailVerify, ada)
	wantErr(t, "VerifyAccount(superseded)", k.confirm(t, first, rightPassword), vault.ErrTicket)
	wantErr(t, "VerifyAccount(latest)", k.confirm(t, second, rightPassword), nil)
	k.wantSignIn(t, ada, otherPassword, vault.ErrCredentials)
	k.signIn(t, ada, rightPassword)
}

func TestOwnersAreToldOfSignUpsOnceAnHour(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	k.verified(t, ada)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	m := k.wantMails(t, vault.MailTaken)[0]
	want(t, "Mail.Key of a note", string(m.Key), "")
	k.Clock.Advance(time.Hour - time.Second)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t)
	k.Clock.Advance(time.Second)
	wantErr(t, "CreateAccount(taken)", k.signUp(t, ada, otherPassword), nil)
	k.wantMails(t, vault.MailTaken)
	k.signIn(t, ada, rightPassword)
}

func TestResendVerification(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	first := k.link(t, vault.MailVerify, ada)
	resend := func() {
		wantErr(t, "ResendVerification(address)", k.Vault.ResendVerification(t.Context(), vault.Caller{}, ada), nil)
	}
	resend()
	k.wantMails(t)
	k.Clock.Advance(5 * time.Minute)
	resend()
	second := k.link(t, vault.MailVerify, ada)
	wantErr(t, "VerifyAccount(superseded)", k.confirm(t, first, rightPassword), vault.ErrTicket)
	wantErr(t, "VerifyAccount(latest)", k.confirm(t, second, rightPassword), nil)
	k.Clock.Advance(5 * time.Minute)
	resend()
	k.wantMails(t)
	k.signIn(t, ada, rightPassword)
}

func TestSignUpPolicy(t *testing.T) {
	t.Parallel()
	good := vault.NewAccount{Address: ada, Password: rightPassword}
	tests := []struct {
		name   string
		policy vault.Policy
		change func(*vault.NewAccount)
		want   error
	}{
		{"open", vault.Policy{SignUp: vault.SignUpOpen}, nil, nil},
		{"closed", vault.Policy{SignUp: vault.SignUpClosed}, nil, vault.ErrPolicy},
		{"not said", vault.Policy{SignUp: 9}, nil, vault.ErrPolicy},
		{"invite missing", vault.Policy{SignUp: vault.SignUpInvite}, nil, vault.ErrPolicy},
		{"invite wrong", vault.Policy{SignUp: vault.SignUpInvite}, func(n *vault.NewAccount) { n.Invite = "wrong" }, vault.ErrTicket},
		{"domain", vault.Policy{SignUp: vault.SignUpOpen, SignUpDomains: []string{"example.com"}}, nil, nil},
		{"other domain", vault.Policy{SignUp: vault.SignUpOpen, SignUpDomains: []string{"example.org", "le.com"}}, nil, vault.ErrPolicy},
		{"maintenance", vault.Policy{SignUp: vault.SignUpOpen, Maintenance: "Back at noon."}, nil, vault.ErrMaintenance},
		{"address", vault.Policy{}, func(n *vault.NewAccount) { n.Address = "Ada <ada@example.com>" }, vault.ErrInvalid},
		{"no password", vault.Policy{}, func(n *vault.NewAccount) { n.Password = "" }, nil},
		{"locale", vault.Policy{}, func(n *vault.NewAccount) { n.Locale = "xx" }, vault.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := newAccountKit(t, vaulttest.Options{Policy: test.policy})
			n := good
			if test.change != nil {
				test.change(&n)
			}
			_, err := k.Vault.CreateAccount(t.Context(), k.host, n)
			wantErr(t, "CreateAccount("+test.name+")", err, test.want)
			if test.want != nil {
				k.wantMails(t)
				k.wantNoAccount(t, ada)
			}
		})
	}
}

// Whoever signs up without an account solves a challenge first.
func TestSignUpTakesAChallenge(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{})
	for _, payload := range []string{"", "e30="} {
		_, err := k.Vault.CreateAccount(t.Context(), vaulttest.Caller(1), vault.NewAccount{
			Address: ada, Password: rightPassword, Challenge: payload,
		})
		wantErr(t, "CreateAccount(no solution)", err, vault.ErrChallenge)
	}
	other := mustSolve(t, k.Kit, "feedback").payload(t)
	_, err := k.Vault.CreateAccount(t.Context(), vaulttest.Caller(1), vault.NewAccount{
		Address: ada, Password: rightPassword, Challenge: other,
	})
	wantErr(t, "CreateAccount(another action's solution)", err, vault.ErrChallenge)
	k.wantNoAccount(t, ada)

	solved := mustSolve(t, k.Kit, "signup").payload(t)
	for i, address := range []vault.Text{"no address", ada} {
		_, err = k.Vault.CreateAccount(t.Context(), vaulttest.Caller(1), vault.NewAccount{
			Address: address, Password: rightPassword, Challenge: solved,
		})
		// What is refused for another reason spends no solution.
		wantErr(t, "CreateAccount(solution)", err, []error{vault.ErrInvalid, nil}[i])
	}
	k.wantMails(t, vault.MailVerify)
	_, err = k.Vault.CreateAccount(t.Context(), vaulttest.Caller(1), vault.NewAccount{
		Address: bob, Password: rightPassword, Challenge: solved,
	})
	wantErr(t, "CreateAccount(spent solution)", err, vault.ErrChallenge)
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
	k.wantMails(t, vault.MailVerify)
	list, _, err := k.Vault.Operator().ListAccounts(t.Context(), 0, "")
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
			case errors.Is(err, vault.ErrAddressTaken):
				taken.Add(1)
			}
		})
	}
	all.Wait()
	want(t, "accounts made", made.Load(), 1)
	want(t, "sign-ups refused", taken.Load(), 31)
	k.signIn(t, ada, rightPassword)
}

// Somebody signs up with addresses of others, who never confirm. After a week
// the addresses are free, and nothing of the accounts is left.
func TestUnconfirmedAccountsEnd(t *testing.T) {
	t.Parallel()
	k := newAccountKit(t, vaulttest.Options{Manual: true})
	wantErr(t, "CreateAccount(address)", k.signUp(t, ada, rightPassword), nil)
	k.leap(t, vault.PendingLifetime-time.Hour)
	k.account(t, ada) // still there
	k.leap(t, time.Hour)
	_, err := k.Vault.Operator().GetAccount(t.Context(), ada)
	wantErr(t, "GetAccount(unconfirmed)", err, vault.ErrNotFound)
	wantErr(t, "CreateAccount(address again)", k.signUp(t, ada, otherPassword), nil)
	k.account(t, ada)
}
