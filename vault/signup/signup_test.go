package signup_test

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
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store { return vaulttest.TwiceStore{Store: s} }})
	required, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, signup.NewAccount{
		Address: " Ada-Canary@Example.com\n", Password: vaulttest.Password, Locale: "pt-BR",
	})
	vaulttest.WantErr(t, "CreateAccount(address)", err, nil)
	vaulttest.Want(t, "CreateAccount(address)", required, true)

	waits := k.AccountOf(t, vaulttest.Ada)
	vaulttest.Want(t, "Account.Address", waits.Address, vaulttest.Ada)
	vaulttest.Want(t, "Account.Verified before the link", waits.Verified, false)
	vaulttest.Want(t, "Account.Locale", waits.Locale, "pt_BR")
	k.WantSignIn(t, vaulttest.Ada, vaulttest.Password, refusal.ErrCredentials)

	m := k.WantMails(t, outbox.MailVerify)[0]
	vaulttest.Want(t, "Mail.To", string(m.To), vaulttest.Ada)
	vaulttest.Want(t, "Mail.Locale", m.Locale, "pt_BR")
	vaulttest.Want(t, "Mail.Expires", m.Expires, k.Clock.Now().Add(24*time.Hour))
	vaulttest.WantErr(t, "VerifyAccount(token)", k.Confirm(t, m.Key, vaulttest.Password), nil)
	vaulttest.WantErr(t, "VerifyAccount(used token)", k.Confirm(t, m.Key, vaulttest.Password), refusal.ErrTicket)
	vaulttest.Want(t, "Account.Verified after the link", k.AccountOf(t, vaulttest.Ada).Verified, true)

	c := k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
	own, err := k.Vault.Accounts.GetAccount(t.Context(), c)
	vaulttest.WantErr(t, "GetAccount(caller)", err, nil)
	vaulttest.Want(t, "GetAccount(caller).Address", own.Address, vaulttest.Ada)
	vaulttest.Want(t, "audit rows of new accounts", k.AuditCount(t, audit.Account), 2)
	vaulttest.Want(t, "audit rows of confirmed addresses", k.AuditCount(t, audit.Verify), 1)
}

func TestSignUpAtOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	required, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, signup.NewAccount{Address: vaulttest.Ada, Password: vaulttest.Password})
	vaulttest.WantErr(t, "CreateAccount(address)", err, nil)
	vaulttest.Want(t, "CreateAccount(address)", required, false)
	c := k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
	vaulttest.Want(t, "Account.Verified", k.AccountOf(t, vaulttest.Ada).Verified, false)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), refusal.ErrAddressTaken)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.OtherPassword, refusal.ErrCredentials)

	_, err = k.Vault.DestroyAccount(t.Context(), c, vaulttest.Password)
	vaulttest.WantErr(t, "DestroyAccount(caller)", err, nil)
	vaulttest.WantErr(t, "CreateAccount(destroyed)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), refusal.ErrAddressTaken)
	for call, err := range map[string]error{
		"RequestPasswordReset(no mail)": k.Vault.SignUps.RequestPasswordReset(t.Context(), caller.Caller{}, vaulttest.Bob),
		"ResendVerification(no mail)":   k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, vaulttest.Bob),
		"RequestAddressChange(no mail)": k.Vault.SignUps.RequestAddressChange(t.Context(), k.Host, vaulttest.Bob, vaulttest.Password),
	} {
		vaulttest.WantErr(t, call, err, refusal.ErrNotConfigured)
	}
}

func TestSignUpAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	first := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)

	// Within five minutes nothing changes.
	k.Clock.Advance(5*time.Minute - time.Second)
	vaulttest.WantErr(t, "CreateAccount(waits)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	k.WantMails(t)

	// Afterwards the latest link is the good one.
	k.Clock.Advance(time.Second)
	vaulttest.WantErr(t, "CreateAccount(waits)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	second := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
	vaulttest.WantErr(t, "VerifyAccount(superseded)", k.Confirm(t, first, vaulttest.Password), refusal.ErrTicket)
	vaulttest.WantErr(t, "VerifyAccount(latest)", k.Confirm(t, second, vaulttest.Password), nil)
	k.WantSignIn(t, vaulttest.Ada, vaulttest.OtherPassword, refusal.ErrCredentials)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
}

func TestOwnersAreToldOfSignUpsOnceAnHour(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	k.MustVerify(t, vaulttest.Ada)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	m := k.WantMails(t, outbox.MailTaken)[0]
	vaulttest.Want(t, "Mail.Key of a note", string(m.Key), "")
	k.Clock.Advance(time.Hour - time.Second)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	k.WantMails(t)
	k.Clock.Advance(time.Second)
	vaulttest.WantErr(t, "CreateAccount(taken)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	k.WantMails(t, outbox.MailTaken)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
}

func TestResendVerification(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	first := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
	resend := func() {
		vaulttest.WantErr(t, "ResendVerification(address)", k.Vault.SignUps.ResendVerification(t.Context(), caller.Caller{}, vaulttest.Ada), nil)
	}
	resend()
	k.WantMails(t)
	k.Clock.Advance(5 * time.Minute)
	resend()
	second := k.WantLink(t, outbox.MailVerify, vaulttest.Ada)
	vaulttest.WantErr(t, "VerifyAccount(superseded)", k.Confirm(t, first, vaulttest.Password), refusal.ErrTicket)
	vaulttest.WantErr(t, "VerifyAccount(latest)", k.Confirm(t, second, vaulttest.Password), nil)
	k.Clock.Advance(5 * time.Minute)
	resend()
	k.WantMails(t)
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
}

func TestSignUpPolicy(t *testing.T) {
	t.Parallel()
	good := signup.NewAccount{Address: vaulttest.Ada, Password: vaulttest.Password}
	tests := []struct {
		name   string
		policy caller.Policy
		change func(*signup.NewAccount)
		want   error
	}{
		{"open", caller.Policy{SignUp: caller.SignUpOpen}, nil, nil},
		{"closed", caller.Policy{SignUp: caller.SignUpClosed}, nil, refusal.ErrPolicy},
		{"not said", caller.Policy{SignUp: 9}, nil, refusal.ErrPolicy},
		{"invite missing", caller.Policy{SignUp: caller.SignUpInvite}, nil, refusal.ErrPolicy},
		{"invite wrong", caller.Policy{SignUp: caller.SignUpInvite}, func(n *signup.NewAccount) { n.Invite = "wrong" }, refusal.ErrTicket},
		{"domain", caller.Policy{SignUp: caller.SignUpOpen, SignUpDomains: []string{"example.com"}}, nil, nil},
		{"other domain", caller.Policy{SignUp: caller.SignUpOpen, SignUpDomains: []string{"example.org", "le.com"}}, nil, refusal.ErrPolicy},
		{"maintenance", caller.Policy{SignUp: caller.SignUpOpen, Maintenance: "Back at noon."}, nil, refusal.ErrMaintenance},
		{"address", caller.Policy{}, func(n *signup.NewAccount) { n.Address = "Ada <ada@example.com>" }, refusal.ErrInvalid},
		{"no password", caller.Policy{}, func(n *signup.NewAccount) { n.Password = "" }, nil},
		{"locale", caller.Policy{}, func(n *signup.NewAccount) { n.Locale = "xx" }, refusal.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.NewAccountKit(t, vaulttest.Options{Policy: test.policy})
			n := good
			if test.change != nil {
				test.change(&n)
			}
			_, err := k.Vault.SignUps.CreateAccount(t.Context(), k.Host, n)
			vaulttest.WantErr(t, "CreateAccount("+test.name+")", err, test.want)
			if test.want != nil {
				k.WantMails(t)
				k.WantNoAccount(t, vaulttest.Ada)
			}
		})
	}
}

// A sign-up without an account requires a solved challenge.
func TestSignUpTakesAChallenge(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	for _, payload := range []string{"", "e30="} {
		_, err := k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), signup.NewAccount{
			Address: vaulttest.Ada, Password: vaulttest.Password, Challenge: payload,
		})
		vaulttest.WantErr(t, "CreateAccount(no solution)", err, refusal.ErrChallenge)
	}
	other := vaulttest.MustSolve(t, k.Kit, "feedback").Payload(t)
	_, err := k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), signup.NewAccount{
		Address: vaulttest.Ada, Password: vaulttest.Password, Challenge: other,
	})
	vaulttest.WantErr(t, "CreateAccount(another action's solution)", err, refusal.ErrChallenge)
	k.WantNoAccount(t, vaulttest.Ada)

	solved := vaulttest.MustSolve(t, k.Kit, "signup").Payload(t)
	for i, address := range []caller.Text{"no address", vaulttest.Ada} {
		_, err = k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), signup.NewAccount{
			Address: address, Password: vaulttest.Password, Challenge: solved,
		})
		// What is refused for another reason spends no solution.
		vaulttest.WantErr(t, "CreateAccount(solution)", err, []error{refusal.ErrInvalid, nil}[i])
	}
	k.WantMails(t, outbox.MailVerify)
	_, err = k.Vault.SignUps.CreateAccount(t.Context(), vaulttest.Caller(1), signup.NewAccount{
		Address: vaulttest.Bob, Password: vaulttest.Password, Challenge: solved,
	})
	vaulttest.WantErr(t, "CreateAccount(spent solution)", err, refusal.ErrChallenge)
}

// The attack: many sign-ups of one address at once, so that two of them find
// it free. There is one account and one mail.
func TestSignUpRace(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{})
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			err := vaulttest.RetryBusy(func() error { return k.SignUp(t, vaulttest.Ada, vaulttest.Password) })
			vaulttest.WantErr(t, "CreateAccount(address)", err, nil)
		})
	}
	all.Wait()
	k.WantMails(t, outbox.MailVerify)
	list, _, err := k.Vault.Operator().Accounts.ListAccounts(t.Context(), 0, "")
	vaulttest.WantErr(t, "Operator.ListAccounts()", err, nil)
	vaulttest.Want(t, "accounts after the race", len(list), 2)
}

// Without mail one of many wins, and the others are told.
func TestSignUpRaceAtOnce(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewMaillessKit(t, vaulttest.Options{})
	var made, taken atomic.Int32
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			switch err := vaulttest.RetryBusy(func() error { return k.SignUp(t, vaulttest.Ada, vaulttest.Password) }); {
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
	k.MustSignIn(t, vaulttest.Ada, vaulttest.Password)
}

// A stranger signs up with addresses of others, who never confirm. After a week
// the addresses are free, and nothing of the accounts is left.
func TestUnconfirmedAccountsEnd(t *testing.T) {
	t.Parallel()
	k := vaulttest.NewAccountKit(t, vaulttest.Options{Manual: true})
	vaulttest.WantErr(t, "CreateAccount(address)", k.SignUp(t, vaulttest.Ada, vaulttest.Password), nil)
	k.Leap(t, account.PendingLifetime-time.Hour)
	k.AccountOf(t, vaulttest.Ada) // still there
	k.Leap(t, time.Hour)
	_, err := k.Vault.Operator().Accounts.GetAccount(t.Context(), vaulttest.Ada)
	vaulttest.WantErr(t, "GetAccount(unconfirmed)", err, refusal.ErrNotFound)
	vaulttest.WantErr(t, "CreateAccount(address again)", k.SignUp(t, vaulttest.Ada, vaulttest.OtherPassword), nil)
	k.AccountOf(t, vaulttest.Ada)
}
